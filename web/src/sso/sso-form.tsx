import type { OidcProvider } from "@lightkeeper/contract";
import { useForm } from "react-hook-form";
import { EditForm } from "../forms/edit-form.tsx";
import { Field, TextInput } from "../ui/forms/field.tsx";
import { AdmissionFields } from "./sso-admission-fields.tsx";
import { DeviceFields } from "./sso-device-fields.tsx";
import { ssoRules } from "./sso-rules.ts";
import { ProviderTestSection } from "./provider-test-section.tsx";
import { type SsoFormState, type SsoValues, toValues } from "./sso-values.ts";
import { SSO_PATH } from "./sso.queries.ts";

interface SsoFormProps {
  provider: OidcProvider | null;
  save: (values: SsoValues) => Promise<unknown>;
}

export function SsoForm({ provider, save }: SsoFormProps) {
  const latest = toValues(provider);
  const form = useForm<SsoValues>({ defaultValues: latest });
  return (
    <EditForm
      form={form}
      noun="provider"
      latest={provider ? latest : undefined}
      save={save}
      rules={ssoRules}
      submitLabel="Save"
      cancelTo={SSO_PATH}
    >
      <ClientFields form={form} isNew={provider === null} />
      <AdmissionFields form={form} />
      <DeviceFields form={form} />
      <ProviderTestSection form={form} />
    </EditForm>
  );
}

function ClientFields({ form, isNew }: { form: SsoFormState; isNew: boolean }) {
  const { errors } = form.formState;
  return (
    <>
      <Field label="Name" optional error={errors.name?.message}>
        <TextInput {...form.register("name")} autoComplete="off" />
      </Field>
      <ClientField
        form={form}
        name="issuerURL"
        label="Issuer URL"
        placeholder="https://accounts.example.com"
      />
      <ClientField form={form} name="clientID" label="Client ID" />
      <ClientSecretField form={form} isNew={isNew} />
    </>
  );
}

interface ClientFieldProps {
  form: SsoFormState;
  name: "issuerURL" | "clientID";
  label: string;
  placeholder?: string;
}

function ClientField({ form, name, label, placeholder }: ClientFieldProps) {
  return (
    <Field
      label={label}
      hint="From your provider’s application settings."
      error={form.formState.errors[name]?.message}
    >
      <TextInput
        {...form.register(name, { required: "Required." })}
        mono
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
      />
    </Field>
  );
}

function ClientSecretField({ form, isNew }: { form: SsoFormState; isNew: boolean }) {
  return (
    <Field
      label="Client secret"
      optional={!isNew}
      error={form.formState.errors.clientSecret?.message}
      hint={
        isNew
          ? "From your provider’s application settings."
          : "Leave empty to keep the current secret, which is never shown."
      }
    >
      <TextInput
        {...form.register("clientSecret", { required: isNew && "Required." })}
        mono
        type="password"
        autoComplete="off"
      />
    </Field>
  );
}
