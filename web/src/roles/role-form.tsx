import { RoleCreate } from "@lightkeeper/contract";
import { FormProvider, useForm, type UseFormReturn } from "react-hook-form";
import { EditForm } from "../lib/edit-form.tsx";
import { formatCount } from "../lib/format.ts";
import { referenceGone, roleNameTaken } from "../lib/messages.ts";
import { placeRuleErrors } from "../rules/rule-values.ts";
import { RulesEditor } from "../rules/rules-editor.tsx";
import { Field, TextArea, TextInput } from "../ui/forms/field.tsx";
import { FormSection } from "../ui/pages/form-page.tsx";
import { ROLES_PATH } from "../references/role-link.tsx";
import type { RoleValues } from "./role-values.ts";

interface RoleFormProps {
  /** What a new one starts from, or, with `latest`, the same. */
  initial: RoleValues;
  /** As last heard from the server; without it the form makes a new one. */
  latest?: RoleValues;
  /** How many hosts have it. */
  hostCount?: number;
  submitLabel: string;
  save: (values: RoleValues) => Promise<unknown>;
}

export function RoleForm({ initial, latest, hostCount = 0, submitLabel, save }: RoleFormProps) {
  const form = useForm<RoleValues>({ defaultValues: initial });
  return (
    <FormProvider {...form}>
      <EditForm
        form={form}
        noun="role"
        latest={latest}
        save={(values) => save(values).catch((error: unknown) => Promise.reject(placeRuleErrors(error)))}
        rules={[roleNameTaken, referenceGone]}
        submitLabel={submitLabel}
        cancelTo={ROLES_PATH}
      >
        <RoleFields form={form} isNew={!latest} />
        <FormSection title="Rules">
          <RulesEditor
            lead="What hosts with this role accept."
            none="No rules: the role lets nothing in."
            changes={latest && { saved: { rules: latest.firewallRules }, scope: scopeOf(hostCount) }}
          />
        </FormSection>
      </EditForm>
    </FormProvider>
  );
}

const scopeOf = (hostCount: number) =>
  hostCount === 0
    ? "No host has this role yet."
    : `On ${formatCount(hostCount, "host")} with this role. Their tags may let in more.`;

const refusedBy = (field: "name" | "description", message: string) => ({
  validate: (value: string) => RoleCreate.shape[field].safeParse(value).success || message,
});
const nameRules = refusedBy("name", "Enter a name (up to 50 characters).");
const descriptionRules = refusedBy("description", "255 characters at most.");

function RoleFields({ form, isNew }: { form: UseFormReturn<RoleValues>; isNew: boolean }) {
  const { errors } = form.formState;
  return (
    <>
      <Field label="Name" error={errors.name?.message}>
        <TextInput {...form.register("name", nameRules)} autoComplete="off" autoFocus={isNew} dir="auto" />
      </Field>
      <Field label="Description" optional error={errors.description?.message}>
        <TextArea {...form.register("description", descriptionRules)} rows={2} dir="auto" />
      </Field>
    </>
  );
}
