import { useDeferredValue, useRef } from "react";
import { Controller } from "react-hook-form";
import { Link } from "react-router";
import { useDraft } from "../lib/draft.ts";
import { formatCount } from "../lib/format.ts";
import { LeaveGuard } from "../lib/leave-guard.tsx";
import { NetworkPicker } from "../references/network-picker.tsx";
import { RolePicker } from "../references/role-picker.tsx";
import { TagPicker } from "../references/tag-picker.tsx";
import { Button, LinkButton } from "../ui/controls/button.tsx";
import { Card } from "../ui/pages/card.tsx";
import { Field, Select, TextArea } from "../ui/forms/field.tsx";
import { Form } from "../ui/forms/form.tsx";
import { startBatch } from "./batch.ts";
import { checkRows, refusalOf, type HostRow } from "./host-rows.ts";
import styles from "./hosts-add.module.css";
import { RowsPreview } from "./rows-preview.tsx";
import { bodyOf, lifetimes, useKnown, useOnlyNetwork, type SeveralForm } from "./several-values.ts";

interface RowsFormProps {
  form: SeveralForm;
  onStarted: () => void;
}

export function RowsForm({ form, onStarted }: RowsFormProps) {
  const { isDirty } = form.formState;
  useDraft(form);
  const only = useOnlyNetwork();
  const networkID = form.watch("networkID") ?? only;
  const known = useKnown(networkID);
  const rows = checkRows(useDeferredValue(form.watch("text")), known);

  const start = form.handleSubmit((values) => {
    const checked = checkRows(values.text, known);
    const refusal = refusalOf(checked);
    if (networkID === null)
      return form.setError("networkID", { message: "Choose a network." }, { shouldFocus: true });
    if (refusal) return form.setError("text", { message: refusal }, { shouldFocus: true });
    const body = (row: HostRow) => bodyOf(row, { ...values, networkID }, known.roles);
    startBatch(checked.map((row) => ({ row, body: body(row) })));
    form.setValue("text", "");
    onStarted();
  });

  return (
    <>
      <Card>
        <Form className={styles.form} pending={false} onSubmit={() => void start()}>
          <ForAll form={form} networkID={networkID} />
          <Names form={form} />
          <div className={styles.actions}>
            <Button type="submit" variant="primary">
              {rows.length > 0 ? `Add ${formatCount(rows.length, "host")}` : "Add hosts"}
            </Button>
            <LinkButton to="/hosts" variant="quiet">
              Cancel
            </LinkButton>
          </div>
        </Form>
      </Card>
      {rows.length > 0 && <RowsPreview rows={rows} />}
      <LeaveGuard isDirty={isDirty} />
    </>
  );
}

/** What every host gets. */
function ForAll({ form, networkID }: { form: SeveralForm; networkID: string | null }) {
  const { errors } = form.formState;
  return (
    <div className={styles.pair}>
      <Controller
        control={form.control}
        name="networkID"
        render={({ field }) => (
          <NetworkPicker {...field} value={networkID} label="Network" error={errors.networkID?.message} />
        )}
      />
      <Controller
        control={form.control}
        name="roleID"
        render={({ field }) => (
          <RolePicker
            {...field}
            label="Role"
            optional
            none="No role"
            hint="For rows that name none."
            error={errors.roleID?.message}
          />
        )}
      />
      <Controller
        control={form.control}
        name="tags"
        render={({ field }) => (
          <TagPicker {...field} label="Tags" optional hint="For every row." error={errors.tags?.message} />
        )}
      />
      <Field label="Codes work for" hint="Each works once.">
        <Select {...form.register("lifetimeSeconds", { valueAsNumber: true })}>
          {lifetimes.map(({ label, seconds }) => (
            <option key={seconds} value={seconds}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
    </div>
  );
}

function Names({ form }: { form: SeveralForm }) {
  const chooser = useRef<HTMLInputElement>(null);
  async function take(file: File | undefined) {
    if (file) form.setValue("text", await file.text(), { shouldDirty: true });
    form.clearErrors("text");
  }
  return (
    <div className={styles.names}>
      <Field
        label="Hosts"
        error={form.formState.errors.text?.message}
        hint={
          <>
            One name a line, or lines of <code>name, role, tags, ip</code>; tags with <code>;</code> between
            them. For one host alone there is <Link to="/hosts/add">Add host</Link>.
          </>
        }
      >
        <TextArea
          {...form.register("text")}
          mono
          rows={8}
          spellCheck={false}
          autoCapitalize="off"
          autoFocus
          placeholder={"web-1\nweb-2\ndb-1, Database, env:prod;team:data, 100.100.0.20"}
        />
      </Field>
      <div>
        <Button size="small" onClick={() => chooser.current?.click()}>
          Choose a CSV file…
        </Button>
        <input
          ref={chooser}
          type="file"
          accept=".csv,.txt,text/csv,text/plain"
          hidden
          aria-label="CSV file"
          onChange={(event) => {
            void take(event.currentTarget.files?.[0]);
            event.currentTarget.value = "";
          }}
        />
      </div>
    </div>
  );
}
