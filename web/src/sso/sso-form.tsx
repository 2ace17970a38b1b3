import { type OidcProvider, type Output, testOidcProvider } from "@lightkeeper/contract";
import { useState } from "react";
import { Controller, useForm, type UseFormReturn } from "react-hook-form";
import { EditForm } from "../lib/edit-form.tsx";
import { handleFormError, reword } from "../lib/errors.ts";
import { useDraft } from "../lib/draft.ts";
import type { Rule } from "../lib/messages.ts";
import { rememberOidcTrial } from "../lib/oidc-trial.ts";
import { useWrite } from "../lib/query.ts";
import { useRenewal } from "../lib/renewal.ts";
import { webAddress } from "../lib/web-address.ts";
import { NetworkPicker } from "../networks/network-picker.tsx";
import { RolePicker } from "../roles/role-picker.tsx";
import { TagPicker } from "../tags/tag-picker.tsx";
import { Button } from "../ui/button.tsx";
import { Field, NumberInput, TextInput } from "../ui/field.tsx";
import { FormSection } from "../ui/form-page.tsx";
import { ListInput } from "../ui/list-input.tsx";
import { Notice } from "../ui/notice.tsx";
import { type SsoValues, toBody, toValues } from "./sso-values.ts";
import { SSO_PATH } from "./sso.queries.ts";
import styles from "./sso.module.css";

type SsoFormState = UseFormReturn<SsoValues>;

/** The server says exactly what is wrong; it only lacks the sentence's shape. */
const rules: readonly Rule[] = [
  {
    codes: ["ERR_INVALID_VALUE", "ERR_INVALID_VALUE_LENGTH"],
    message: ({ message }) => `This is refused: ${message}.`,
  },
  {
    codes: ["ERR_OIDC_PROVIDER_INACCESSIBLE"],
    message: ({ message }) => `The provider cannot be asked: ${message}.`,
  },
];

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
      rules={rules}
      submitLabel="Save"
      cancelTo={SSO_PATH}
    >
      <ClientFields form={form} isNew={provider === null} />
      <AdmissionFields form={form} />
      <DeviceFields form={form} />
      <Trial form={form} />
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
      <Field label="Issuer URL" error={errors.issuerURL?.message}>
        <TextInput
          {...form.register("issuerURL", { required: "Your provider names it." })}
          mono
          autoComplete="off"
          spellCheck={false}
          placeholder="https://accounts.example.com"
        />
      </Field>
      <Field label="Client ID" error={errors.clientID?.message}>
        <TextInput
          {...form.register("clientID", { required: "Your provider names it." })}
          mono
          autoComplete="off"
          spellCheck={false}
        />
      </Field>
      <Field
        label="Client secret"
        optional={!isNew}
        error={errors.clientSecret?.message}
        hint={isNew ? undefined : "Leave empty to keep the one that is stored. It is never shown."}
      >
        <TextInput
          {...form.register("clientSecret", { required: isNew && "Your provider names it." })}
          mono
          type="password"
          autoComplete="off"
        />
      </Field>
    </>
  );
}

function AdmissionFields({ form }: { form: SsoFormState }) {
  const { errors } = form.formState;
  return (
    <FormSection title="Who may sign in">
      <Controller
        control={form.control}
        name="allowedDomains"
        render={({ field }) => (
          <ListInput
            {...field}
            label="Domains"
            noun="domain"
            optional
            placeholder="example.com"
            hint="Whose e-mail addresses come in. Name domains, a claim, or both: then both must hold."
            max={50}
            error={errors.allowedDomains?.message}
            errors={field.value.map((_, place) => errors.allowedDomains?.[place]?.message)}
          />
        )}
      />
      <ClaimFields form={form} name="requiredClaim" label="Required claim" />
      <ClaimFields form={form} name="auditorClaim" label="Auditor claim" />
    </FormSection>
  );
}

const claimHints = {
  requiredClaim: "What the provider has to say of whoever comes in, such as “groups”.",
  auditorClaim: "Whoever has it only reads. Everybody else who comes in is an administrator.",
} as const;

function ClaimFields({
  form,
  name,
  label,
}: {
  form: SsoFormState;
  name: "requiredClaim" | "auditorClaim";
  label: string;
}) {
  const errors = form.formState.errors[name];
  return (
    <div className={styles.claim}>
      <Field label={`${label}: name`} optional hint={claimHints[name]} error={errors?.name?.message}>
        <TextInput {...form.register(`${name}.name`)} autoComplete="off" spellCheck={false} />
      </Field>
      <Field label={`${label}: value`} optional error={errors?.value?.message}>
        <TextInput {...form.register(`${name}.value`)} autoComplete="off" spellCheck={false} />
      </Field>
    </div>
  );
}

function DeviceFields({ form }: { form: SsoFormState }) {
  const errors = form.formState.errors.endpoint;
  return (
    <FormSection title="Devices enrolled by signing in">
      <Controller
        control={form.control}
        name="endpoint.networkID"
        render={({ field }) => (
          <NetworkPicker
            {...field}
            label="Network"
            none="No devices"
            error={errors?.networkID?.message}
            hint="Where people’s devices go. Each is named after its person."
          />
        )}
      />
      <Controller
        control={form.control}
        name="endpoint.roleID"
        render={({ field }) => (
          <RolePicker {...field} label="Role of devices" none="No role" error={errors?.roleID?.message} />
        )}
      />
      <Controller
        control={form.control}
        name="endpoint.tags"
        render={({ field }) => (
          <TagPicker {...field} label="Tags of devices" optional error={errors?.tags?.message} />
        )}
      />
      <Field
        label="Days until they sign in again"
        error={errors?.validDays?.message}
        hint="Their certificates end with the sign-in."
      >
        <NumberInput {...form.register("endpoint.validDays", { valueAsNumber: true })} min={1} max={365} />
      </Field>
    </FormSection>
  );
}

/** In a tab of its own: the form stays as it is. */
function tryOut({ oidcRequestToken, redirectURL }: Output<typeof testOidcProvider>["trial"]): void {
  rememberOidcTrial(oidcRequestToken, redirectURL);
  window.open(webAddress(redirectURL), "_blank", "noopener");
}

/** Asks the provider who it is, with what the form holds; nothing is saved. */
function Trial({ form }: { form: SsoFormState }) {
  const [found, setFound] = useState<Output<typeof testOidcProvider>>();
  const { mutateAsync: test, isPending } = useWrite(testOidcProvider);
  const renew = useRenewal(useDraft(form));

  const run = form.handleSubmit(async (values) => {
    setFound(undefined);
    try {
      setFound(await test({ body: toBody(values) }));
    } catch (error) {
      if (!renew(error)) handleFormError(reword(error, rules), form);
    }
  });
  return (
    <FormSection title="Before you save">
      <p className={styles.steps}>
        Asks the provider who it is, with what is filled in above. Nothing is saved by it.
      </p>
      <div>
        <Button pending={isPending} onClick={() => void run()}>
          Test the provider
        </Button>
      </div>
      {found && (
        <Notice tone="ok" actions={<Button onClick={() => tryOut(found.trial)}>Try a sign-in</Button>}>
          {found.discovery.issuer} answers. People sign in at {found.discovery.authorizationEndpoint}.
          {!found.discovery.scopes.includes("email") && " It does not say that it tells e-mail addresses."}
        </Notice>
      )}
    </FormSection>
  );
}
