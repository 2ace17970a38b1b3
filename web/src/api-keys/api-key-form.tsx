import { NAME_LENGTH_MAX } from "@lightkeeper/contract/limits";
import { Controller, useForm, type UseFormReturn } from "react-hook-form";
import { EditForm } from "../forms/edit-form.tsx";
import { nameMessage } from "../forms/length-messages.ts";
import { apiKeyLimitExceeded, expiryInPast } from "../lib/messages.ts";
import { Field, Select, TextInput } from "../ui/forms/field.tsx";
import { useNow } from "../ui/text/time.tsx";
import { API_KEYS_PATH } from "./api-key-link.tsx";
import { type ApiKeyValues, dayOf, lifetimes, newApiKey } from "./api-key-values.ts";
import { ScopePicker } from "./scope-picker.tsx";

interface ApiKeyFormProps {
  initial?: ApiKeyValues;
  latest?: ApiKeyValues;
  submitLabel: string;
  save: (values: ApiKeyValues) => Promise<unknown>;
}

const nameRules = {
  validate: (name: string) =>
    (name.trim().length > 0 && name.trim().length <= NAME_LENGTH_MAX) || nameMessage,
};
const scopeRules = {
  validate: (scopes: readonly unknown[]) => scopes.length > 0 || "Choose at least one scope.",
};

export function ApiKeyForm({ initial = newApiKey, latest, submitLabel, save }: ApiKeyFormProps) {
  const form = useForm<ApiKeyValues>({ defaultValues: initial });
  const { errors } = form.formState;
  return (
    <EditForm
      form={form}
      noun="API key"
      latest={latest}
      save={save}
      rules={[expiryInPast, apiKeyLimitExceeded]}
      submitLabel={submitLabel}
      cancelTo={API_KEYS_PATH}
    >
      <Field
        label="Name"
        hint="What uses the key, such as a tool, a script or a service."
        error={errors.name?.message}
      >
        <TextInput
          {...form.register("name", nameRules)}
          autoFocus={latest === undefined}
          autoComplete="off"
          dir="auto"
          placeholder="Terraform"
        />
      </Field>
      <Controller
        control={form.control}
        name="scopes"
        rules={scopeRules}
        render={({ field }) => (
          <ScopePicker value={field.value} onChange={field.onChange} error={errors.scopes?.message} />
        )}
      />
      <Expiry form={form} />
    </EditForm>
  );
}

function Expiry({ form }: { form: UseFormReturn<ApiKeyValues> }) {
  const now = useNow();
  const hasDate = form.watch("lifetime") === "date";
  const error = form.formState.errors.expiresAt?.message;
  return (
    <>
      <Field label="Expires" hint="You can extend an expired key." error={hasDate ? undefined : error}>
        <Select {...form.register("lifetime")}>
          {lifetimes.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
      {hasDate && (
        <Field label="Date" hint="The key works until the end of that day, in your time zone." error={error}>
          <TextInput
            {...form.register("expiresAt", { required: "Choose a date." })}
            type="date"
            min={dayOf(new Date(now))}
          />
        </Field>
      )}
    </>
  );
}
