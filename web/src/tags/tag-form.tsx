import { TagCreate } from "@lightkeeper/contract";
import { TAG_KEY_LENGTH_MAX, TAG_VALUE_LENGTH_MAX } from "@lightkeeper/contract/limits";
import { lazy, Suspense, useState } from "react";
import { FormProvider, useController, useForm, useFormContext, useWatch } from "react-hook-form";
import { EditForm } from "../forms/edit-form.tsx";
import { validateWith } from "../forms/name-fields.tsx";
import { descriptionMessage } from "../forms/length-messages.ts";
import { formatCount } from "../lib/format.ts";
import { referenceGone, tagNameTaken } from "../lib/messages.ts";
import { RoutePicker } from "../pickers/route-picker.tsx";
import { FormPreview, useFormPreview } from "../preview/access-preview.tsx";
import type { PreviewMutations } from "../preview/preview-values.ts";
import { mapRuleErrors, withCompleteRules } from "../rules/rule-values.ts";
import { RuleChangesPreview } from "../rules/rule-changes-preview.tsx";
import { RulesEditor } from "../rules/rules-editor.tsx";
import { RulesNotePreview } from "../rules/rules-note-preview.tsx";
import { Button } from "../ui/controls/button.tsx";
import { Field, TextArea, TextInput } from "../ui/forms/field.tsx";
import { FormSection } from "../ui/pages/form-page.tsx";
import { PlusIcon } from "../ui/base/icons.tsx";
import { Spinner } from "../ui/feedback/spinner.tsx";
import { firstErrorMessage } from "./first-error-message.ts";
import { TAGS_PATH } from "../references/tag-link.tsx";
import { emptyTag, type TagValues } from "./tag-values.ts";

const rules = [tagNameTaken, referenceGone];

const TagOverrides = lazy(() => import("./tag-overrides.tsx"));

interface TagFormProps {
  /** The current values on the server; omit them to create a tag. */
  latest?: TagValues;
  /** How many hosts have this tag. */
  hostCount?: number;
  submitLabel: string;
  /** The call that saves the values, for the preview. */
  toMutations: (values: TagValues) => PreviewMutations;
  save: (values: TagValues) => Promise<unknown>;
}

export function TagForm({ latest, hostCount = 0, submitLabel, toMutations, save }: TagFormProps) {
  const form = useForm<TagValues>({ defaultValues: latest ?? emptyTag });
  const preview = useFormPreview({
    form,
    toMutations: (values) => toMutations(withCompleteRules(values)),
    nameOf: ({ name }) => name,
    rules,
  });
  const saveOrMapErrors = (values: TagValues) =>
    save(values).catch((error: unknown) => Promise.reject(mapRuleErrors(error)));
  return (
    <FormProvider {...form}>
      <EditForm
        form={form}
        noun="tag"
        latest={latest}
        save={(values) => preview.save(values, () => saveOrMapErrors(values))}
        rules={rules}
        submitLabel={submitLabel}
        cancelTo={TAGS_PATH}
      >
        <TagFields isNew={!latest} />
        <FormSection title="Rules">
          <RulesEditor
            owner="tag"
            isNew={!latest}
            lead="Rules define the inbound traffic that hosts with this tag accept, in addition to their role and other tags."
            emptyText="No rules. This tag allows no inbound traffic."
          />
        </FormSection>
        <FormSection title="Nebula settings">
          <NebulaSettings name={latest?.name} />
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
    ? "No host has this tag yet."
    : `Applies to ${formatCount(hostCount, "host")} with this tag. Their role and other tags may allow more.`;

const nameRules = validateWith(
  TagCreate.shape.name,
  `Enter a key and a value, such as env:prod (up to ${TAG_KEY_LENGTH_MAX} characters before the colon and ${TAG_VALUE_LENGTH_MAX} after it).`,
);
const descriptionRules = validateWith(TagCreate.shape.description, descriptionMessage);

function TagFields({ isNew }: { isNew: boolean }) {
  const form = useFormContext<TagValues>();
  const routes = useController<TagValues, "routeSubscriptions">({ name: "routeSubscriptions" });
  const { errors } = form.formState;
  return (
    <>
      {isNew && (
        <Field
          label="Name"
          error={errors.name?.message}
          hint="A key and a value, such as env:prod. You can’t change this later."
        >
          <TextInput
            {...form.register("name", nameRules)}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            autoFocus
            dir="auto"
            placeholder="env:prod"
          />
        </Field>
      )}
      <Field label="Description" optional error={errors.description?.message}>
        <TextArea {...form.register("description", descriptionRules)} rows={2} dir="auto" />
      </Field>
      <RoutePicker
        {...routes.field}
        label="Routes"
        optional
        placeholder="None"
        hint="Hosts with this tag get these routes."
        error={firstErrorMessage(routes.fieldState.error)}
      />
    </>
  );
}

/** Few tags have settings, so the editor loads on demand. */
function NebulaSettings({ name }: { name: string | undefined }) {
  const overrides = useWatch<TagValues, "configOverrides">({ name: "configOverrides" });
  const [isOpen, setOpen] = useState(false);
  if (!isOpen && overrides.length === 0) {
    return (
      <div>
        <Button size="small" icon={<PlusIcon />} onClick={() => setOpen(true)}>
          Override settings
        </Button>
      </div>
    );
  }
  return (
    <Suspense fallback={<Spinner delayed />}>
      <TagOverrides name={name} autoFocus={isOpen} />
    </Suspense>
  );
}
