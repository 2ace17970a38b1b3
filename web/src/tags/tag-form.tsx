import { TagCreate } from "@lightkeeper/contract";
import { lazy, Suspense, useState } from "react";
import { FormProvider, useController, useForm, useFormContext, useWatch } from "react-hook-form";
import { EditForm } from "../lib/edit-form.tsx";
import { formatCount } from "../lib/format.ts";
import { referenceGone, tagNameTaken } from "../lib/messages.ts";
import { RoutePicker } from "../references/route-picker.tsx";
import { placeRuleErrors } from "../rules/rule-values.ts";
import { RulesEditor } from "../rules/rules-editor.tsx";
import { Button } from "../ui/controls/button.tsx";
import { Field, TextArea, TextInput } from "../ui/forms/field.tsx";
import { FormSection } from "../ui/pages/form-page.tsx";
import { PlusIcon } from "../ui/base/icons.tsx";
import { Spinner } from "../ui/feedback/spinner.tsx";
import { firstMessage } from "./first-message.ts";
import { TAGS_PATH } from "../references/tag-link.tsx";
import { emptyTag, type TagValues } from "./tag-values.ts";

const TagOverrides = lazy(() => import("./tag-overrides.tsx"));

interface TagFormProps {
  /** As last heard from the server; without it the form makes a new one. */
  latest?: TagValues;
  /** How many hosts have it. */
  hostCount?: number;
  submitLabel: string;
  save: (values: TagValues) => Promise<unknown>;
}

export function TagForm({ latest, hostCount = 0, submitLabel, save }: TagFormProps) {
  const form = useForm<TagValues>({ defaultValues: latest ?? emptyTag });
  return (
    <FormProvider {...form}>
      <EditForm
        form={form}
        noun="tag"
        latest={latest}
        save={(values) => save(values).catch((error: unknown) => Promise.reject(placeRuleErrors(error)))}
        rules={[tagNameTaken, referenceGone]}
        submitLabel={submitLabel}
        cancelTo={TAGS_PATH}
      >
        <TagFields isNew={!latest} />
        <FormSection title="Rules">
          <RulesEditor
            lead="What hosts with this tag accept, beside what their role and other tags let in."
            none="No rules: the tag lets nothing more in."
            changes={latest && { saved: { rules: latest.firewallRules }, scope: scopeOf(hostCount) }}
          />
        </FormSection>
        <FormSection title="Settings of Nebula">
          <Settings name={latest?.name} />
        </FormSection>
      </EditForm>
    </FormProvider>
  );
}

const scopeOf = (hostCount: number) =>
  hostCount === 0
    ? "No host has this tag yet."
    : `On ${formatCount(hostCount, "host")} with this tag. Their role and other tags may let in more.`;

const refusedBy = (field: "name" | "description", message: string) => ({
  validate: (value: string) => TagCreate.shape[field].safeParse(value).success || message,
});
const nameRules = refusedBy(
  "name",
  "Write it as key:value, with at most 20 characters before the colon and 50 after it.",
);
const descriptionRules = refusedBy("description", "255 characters at most.");

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
          hint="A key and a value, like env:prod. It cannot be changed later."
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
        error={firstMessage(routes.fieldState.error)}
      />
    </>
  );
}

/** The editor loads when there is something to edit. */
function Settings({ name }: { name: string | undefined }) {
  const overrides = useWatch<TagValues, "configOverrides">({ name: "configOverrides" });
  const [isAsked, setAsked] = useState(false);
  if (!isAsked && overrides.length === 0) {
    return (
      <div>
        <Button size="small" icon={<PlusIcon />} onClick={() => setAsked(true)}>
          Override settings
        </Button>
      </div>
    );
  }
  return (
    <Suspense fallback={<Spinner delayed />}>
      <TagOverrides name={name} autoFocus={isAsked} />
    </Suspense>
  );
}
