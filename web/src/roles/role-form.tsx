import { RoleCreate } from "@lightkeeper/contract";
import { FormProvider, useForm } from "react-hook-form";
import { EditForm } from "../forms/edit-form.tsx";
import { NameFields, validateWith } from "../forms/name-fields.tsx";
import { descriptionMessage, nameMessage } from "../forms/length-messages.ts";
import { formatCount } from "../lib/format.ts";
import { referenceGone, roleNameTaken } from "../lib/messages.ts";
import { FormPreview, useFormPreview } from "../preview/access-preview.tsx";
import type { PreviewMutations } from "../preview/preview-values.ts";
import { mapRuleErrors, withCompleteRules } from "../rules/rule-values.ts";
import { RuleChangesPreview } from "../rules/rule-changes-preview.tsx";
import { RulesEditor } from "../rules/rules-editor.tsx";
import { RulesNotePreview } from "../rules/rules-note-preview.tsx";
import { FormSection } from "../ui/pages/form-page.tsx";
import { ROLES_PATH } from "../references/role-link.tsx";
import type { RoleValues } from "./role-values.ts";

interface RoleFormProps {
  /** The initial values. */
  initial: RoleValues;
  /** The current values on the server; omit them to create a role. */
  latest?: RoleValues;
  /** How many hosts have this role. */
  hostCount?: number;
  submitLabel: string;
  /** The call that saves the values, for the preview. */
  toMutations: (values: RoleValues) => PreviewMutations;
  save: (values: RoleValues) => Promise<unknown>;
}

export function RoleForm(props: RoleFormProps) {
  const { initial, latest, hostCount = 0, submitLabel, toMutations, save } = props;
  const form = useForm<RoleValues>({ defaultValues: initial });
  const preview = useFormPreview({
    form,
    toMutations: (values) => toMutations(withCompleteRules(values)),
    nameOf: ({ name }) => name,
    rules,
  });
  const saveOrMapErrors = (values: RoleValues) =>
    save(values).catch((error: unknown) => Promise.reject(mapRuleErrors(error)));
  return (
    <FormProvider {...form}>
      <EditForm
        form={form}
        noun="role"
        latest={latest}
        save={(values) => preview.save(values, () => saveOrMapErrors(values))}
        rules={rules}
        submitLabel={submitLabel}
        cancelTo={ROLES_PATH}
      >
        <NameFields
          name={form.register("name", nameRules)}
          description={form.register("description", descriptionRules)}
          errors={form.formState.errors}
          isNew={!latest}
        />
        <FormSection title="Rules">
          <RulesEditor
            owner="role"
            isNew={!latest}
            lead="Rules define the inbound traffic that hosts with this role accept."
            emptyText="No rules. Hosts with this role accept no inbound traffic."
          />
        </FormSection>
        <FormPreview
          {...preview.props}
          summary={latest && <RuleChangesPreview />}
          note={<RulesNotePreview scope={scopeOf(hostCount)} />}
        />
      </EditForm>
    </FormProvider>
  );
}

const scopeOf = (hostCount: number) =>
  hostCount === 0
    ? "No host has this role yet."
    : `Applies to ${formatCount(hostCount, "host")} with this role. Their tags may allow more.`;

const rules = [roleNameTaken, referenceGone];

const nameRules = validateWith(RoleCreate.shape.name, nameMessage);
const descriptionRules = validateWith(RoleCreate.shape.description, descriptionMessage);
