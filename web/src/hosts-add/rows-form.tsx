import { useDeferredValue, useRef } from "react";
import { Controller } from "react-hook-form";
import { Link } from "react-router";
import { useDraft } from "../forms/draft.ts";
import { formatCount } from "../lib/format.ts";
import { LeaveGuard } from "../forms/leave-guard.tsx";
import { NetworkPicker } from "../pickers/network-picker.tsx";
import { RolePicker } from "../pickers/role-picker.tsx";
import { TagPicker } from "../pickers/tag-picker.tsx";
import { Button, LinkButton } from "../ui/controls/button.tsx";
import { addressFamilyOf } from "../lib/address-family.ts";
import { optionalIpv4Range } from "../on-demand/optional-ipv4-range.ts";
import { Card } from "../ui/pages/card.tsx";
import { Checkbox } from "../ui/forms/checkbox.tsx";
import { Field, Select, TextArea } from "../ui/forms/field.tsx";
import { Form } from "../ui/forms/form.tsx";
import { startBatch } from "./batch.ts";
import { validateRows, summarizeProblems, type HostRow } from "./host-rows.ts";
import styles from "./hosts-add.module.css";
import { RowsPreview } from "./rows-preview.tsx";
import {
  bodyOf,
  lifetimes,
  useRowContext,
  useOnlyNetworkID,
  type AddSeveralForm,
} from "./add-several-values.ts";

interface RowsFormProps {
  form: AddSeveralForm;
  onStarted: () => void;
}

export function RowsForm({ form, onStarted }: RowsFormProps) {
  const { isDirty } = form.formState;
  useDraft(form);
  const onlyNetworkID = useOnlyNetworkID();
  const networkID = form.watch("networkID") ?? onlyNetworkID;
  const context = useRowContext(networkID);
  const rows = validateRows(useDeferredValue(form.watch("text")), context);

  const start = form.handleSubmit((values) => {
    const validated = validateRows(values.text, context);
    const problem = summarizeProblems(validated);
    if (networkID === null)
      return form.setError("networkID", { message: "Choose a network." }, { shouldFocus: true });
    if (problem) return form.setError("text", { message: problem }, { shouldFocus: true });
    const body = (row: HostRow) => bodyOf(row, { ...values, networkID }, context);
    startBatch(validated.map((row) => ({ row, body: body(row) })));
    form.setValue("text", "");
    onStarted();
  });

  return (
    <>
      <Card>
        <Form className={styles.form} pending={false} onSubmit={() => void start()}>
          <SharedFields form={form} networkID={networkID} />
          {optionalIpv4Range(context.cidrs ?? []) && (
            <Checkbox
              {...form.register("assignIpv4")}
              label="Assign IPv4 addresses"
              hint="Every host gets an IPv6 address. Without this option, only rows with an IPv4 address get one."
            />
          )}
          <RowsField form={form} cidrs={context.cidrs} />
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

/** Values that apply to every row. */
function SharedFields({ form, networkID }: { form: AddSeveralForm; networkID: string | null }) {
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
            hint="Used for rows without a role."
            error={errors.roleID?.message}
          />
        )}
      />
      <Controller
        control={form.control}
        name="tags"
        render={({ field }) => (
          <TagPicker
            {...field}
            label="Tags"
            optional
            hint="Added to every host."
            error={errors.tags?.message}
          />
        )}
      />
      <Field label="Codes expire after" hint="Each code works once.">
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

/** A row with the address of a host in the network. */
function exampleRow(cidrs: readonly string[] | undefined): string {
  const hasIpv4 = cidrs?.some((cidr) => addressFamilyOf(cidr) === "IPv4") ?? true;
  return `db-1, Database, env:prod;team:data, ${hasIpv4 ? "100.100.0.20" : "fd12:3456:789a::20"}`;
}

function RowsField({ form, cidrs }: { form: AddSeveralForm; cidrs: readonly string[] | undefined }) {
  const fileInput = useRef<HTMLInputElement>(null);
  async function readFile(file: File | undefined) {
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
            One host per line. Optional columns: <code>name, role, tags, ip</code>; separate tags with{" "}
            <code>;</code>, and an IPv4 and an IPv6 address with a space. A range such as{" "}
            <code>100.100.2.0/24</code> assigns a free address in it. To add a single host, use{" "}
            <Link to="/hosts/add">Add host</Link>.
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
          placeholder={`web-1\nweb-2\n${exampleRow(cidrs)}`}
        />
      </Field>
      <div>
        <Button size="small" onClick={() => fileInput.current?.click()}>
          Choose a CSV file…
        </Button>
        <input
          ref={fileInput}
          type="file"
          accept=".csv,.txt,text/csv,text/plain"
          hidden
          aria-label="CSV file"
          onChange={(event) => {
            void readFile(event.currentTarget.files?.[0]);
            event.currentTarget.value = "";
          }}
        />
      </div>
    </div>
  );
}
