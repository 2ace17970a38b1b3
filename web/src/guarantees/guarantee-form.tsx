import { GuaranteeCreate, type Guarantee } from "@lightkeeper/contract";
import { FormProvider, useController, useForm, useFormContext, useWatch } from "react-hook-form";
import { EditForm } from "../forms/edit-form.tsx";
import { descriptionMessage } from "../forms/length-messages.ts";
import { validateWith } from "../forms/name-fields.tsx";
import { referenceGone, type Rule } from "../lib/messages.ts";
import { NetworkPicker } from "../pickers/network-picker.tsx";
import { GUARANTEES_PATH } from "../references/guarantee-link.ts";
import { PortPicker } from "../rules/port-picker.tsx";
import { Field, Select, TextInput } from "../ui/forms/field.tsx";
import { GuaranteeCheck } from "./guarantee-check.tsx";
import styles from "./guarantee-form.module.css";
import { mapGuaranteeErrors, portsProblem, toBody, type GuaranteeValues } from "./guarantee-values.ts";
import type { GuaranteeInput } from "./guarantees.queries.ts";
import { SelectorFields } from "./selector-fields.tsx";

interface GuaranteeFormProps {
  initial: GuaranteeValues;
  /** The current values on the server; omit them to create a guarantee. */
  latest?: GuaranteeValues;
  submitLabel: string;
  save: (body: GuaranteeInput) => Promise<unknown>;
}

const limitExceeded: Rule = {
  codes: ["ERR_LIMIT_EXCEEDED"],
  message: ({ extra }) => {
    const limit = typeof extra?.limit === "number" ? ` (${extra.limit})` : "";
    return `Your organization has the maximum number of guarantees${limit}. Delete one you no longer need, then try again.`;
  },
};

export function GuaranteeForm({ initial, latest, submitLabel, save }: GuaranteeFormProps) {
  const form = useForm<GuaranteeValues>({ defaultValues: initial });
  async function saveValues(values: GuaranteeValues) {
    const body = toBody(values);
    if (!body) return;
    await save(body).catch((error: unknown) => Promise.reject(mapGuaranteeErrors(error)));
  }
  return (
    <FormProvider {...form}>
      <EditForm
        form={form}
        noun="guarantee"
        latest={latest}
        save={saveValues}
        rules={[referenceGone, limitExceeded]}
        submitLabel={submitLabel}
        cancelTo={GUARANTEES_PATH}
      >
        <Sentence isNew={!latest} />
        <DetailFields />
        <GuaranteeCheck isNew={!latest} />
      </EditForm>
    </FormProvider>
  );
}

/** The guarantee as a sentence of fields, in reading order. */
function Sentence({ isNew }: { isNew: boolean }) {
  const form = useFormContext<GuaranteeValues>();
  return (
    <div role="group" aria-label="Guarantee" className={styles.sentence}>
      <SelectorFields place="source" autoFocus={isNew} />
      <Field label="Requirement">
        <Select {...form.register("type")} className={styles.word}>
          <option value="MUST_NEVER_REACH">must never</option>
          <option value="MUST_REACH">must always</option>
        </Select>
      </Field>
      <span className={styles.text}>reach</span>
      <SelectorFields place="destination" />
      <span className={styles.text}>on</span>
      <TrafficFields />
    </div>
  );
}

const protocols: Readonly<Record<Guarantee["protocol"], string>> = {
  TCP: "TCP",
  UDP: "UDP",
  ICMP: "ICMP (ping)",
  ANY: "any protocol",
};

function TrafficFields() {
  const form = useFormContext<GuaranteeValues>();
  const protocol = useWatch<GuaranteeValues, "protocol">({ name: "protocol" });
  const { field, fieldState } = useController<GuaranteeValues, "ports">({
    name: "ports",
    rules: { validate: (_, values) => portsProblem(values) ?? true },
  });
  return (
    <>
      <Field label="Protocol">
        <Select {...form.register("protocol", { deps: ["ports"] })} className={styles.word}>
          {Object.entries(protocols).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
      {protocol !== "ICMP" && (
        <div className={styles.ports}>
          <Field label="Ports" error={fieldState.error?.message}>
            <PortPicker
              {...field}
              onService={({ protocols: used }) => {
                const isCovered = protocol === "ANY" || used.some((one) => one === protocol);
                if (!isCovered) form.setValue("protocol", used[0]!, { shouldDirty: true });
              }}
            />
          </Field>
        </div>
      )}
    </>
  );
}

const descriptionRules = validateWith(GuaranteeCreate.shape.description, descriptionMessage);

function DetailFields() {
  const form = useFormContext<GuaranteeValues>();
  const network = useController<GuaranteeValues, "networkID">({ name: "networkID" });
  return (
    <div className={styles.details}>
      <Field
        label="Description"
        optional
        hint="Shown to people whose change is rejected."
        error={form.formState.errors.description?.message}
      >
        <TextInput {...form.register("description", descriptionRules)} autoComplete="off" dir="auto" />
      </Field>
      <NetworkPicker
        {...network.field}
        label="Network"
        none="All networks"
        hint="Hosts can only reach hosts in the same network."
        error={network.fieldState.error?.message}
      />
    </div>
  );
}
