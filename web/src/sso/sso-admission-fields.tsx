import { ssoDefaultRoles } from "@lightkeeper/contract";
import { DOMAINS_MAX } from "@lightkeeper/contract/limits";
import { Controller } from "react-hook-form";
import { Checkbox } from "../ui/forms/checkbox.tsx";
import { Field, TextInput } from "../ui/forms/field.tsx";
import { FormSection } from "../ui/pages/form-page.tsx";
import { ListInput } from "../ui/on-demand/list-input.tsx";
import { RadioCard, RadioGroup } from "../ui/forms/radio-group.tsx";
import { ssoRoleLabels } from "./sso-role-labels.ts";
import type { SsoFormState } from "./sso-values.ts";
import styles from "./sso.module.css";

export function AdmissionFields({ form }: { form: SsoFormState }) {
  const { errors } = form.formState;
  return (
    <FormSection title="Who can sign in">
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
            hint="Only these email domains can sign in. If you also set a claim, both must match."
            max={DOMAINS_MAX}
            error={errors.allowedDomains?.message}
            errors={field.value.map((_, place) => errors.allowedDomains?.[place]?.message)}
          />
        )}
      />
      <ClaimFields form={form} name="requiredClaim" label="Required claim" />
      <RadioGroup label="Default role" hint={DEFAULT_ROLE_HINT} error={errors.defaultRole?.message}>
        {ssoDefaultRoles.map((role) => (
          <RadioCard
            key={role}
            {...form.register("defaultRole", { required: "Choose the role that people get." })}
            value={role}
            {...ssoRoleLabels[role]}
          />
        ))}
      </RadioGroup>
      <ClaimFields form={form} name="auditorClaim" label="Auditor claim" />
      <Checkbox
        {...form.register("trustsEmails")}
        label="This provider doesn’t send email_verified; trust its email addresses"
        hint="Turn this on only if people can’t choose their own email address at the provider. Addresses that the provider marks as unverified are always rejected."
      />
    </FormSection>
  );
}

const DEFAULT_ROLE_HINT = "Applied each time someone signs in. Single sign-on can’t make anyone an owner.";

const claimHints = {
  requiredClaim: "Only people whose ID token has this claim can sign in, for example “groups”.",
  auditorClaim: "People with this claim get the Auditor role. Everyone else gets the default role.",
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
