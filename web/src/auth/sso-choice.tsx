import { Organization } from "@lightkeeper/contract";
import { useState } from "react";
import { useNavigate } from "react-router";
import { rememberedSsoOrganization } from "../lib/session.ts";
import { Button, LinkButton } from "../ui/button.tsx";
import { Field, TextInput } from "../ui/field.tsx";
import { AuthFormFrame, useAuthForm } from "../lib/auth-form.tsx";
import styles from "./auth.module.css";

const ssoPath = (organizationID: string) => `/auth/login/${encodeURIComponent(organizationID)}`;

/** Leads to the organization of the last single sign-on, or asks which one. */
export function SsoChoice() {
  const [asking, setAsking] = useState(false);
  const remembered = rememberedSsoOrganization();
  if (asking) return <OrganizationForm />;
  if (!remembered)
    return (
      <Button size="large" wide onClick={() => setAsking(true)}>
        Single sign-on
      </Button>
    );
  return (
    <div className={styles.actions}>
      <LinkButton size="large" wide to={ssoPath(remembered)}>
        Single sign-on
      </LinkButton>
      <Button variant="quiet" onClick={() => setAsking(true)}>
        Use another organization
      </Button>
    </div>
  );
}

const organizationRules = {
  validate: (value: string) =>
    Organization.shape.id.safeParse(value.trim()).success ||
    "An organization ID starts with “org-”. Your administrator knows it.",
};

function OrganizationForm() {
  const navigate = useNavigate();
  const { form, submit } = useAuthForm({
    defaultValues: { organizationID: "" },
    send: async ({ organizationID }) => navigate(ssoPath(organizationID.trim())),
    rules: [],
  });
  return (
    <AuthFormFrame form={form} submit={submit} submitLabel="Continue with single sign-on" secondary>
      <Field
        label="Organization ID"
        hint="Your administrator finds it with the single sign-on settings."
        error={form.formState.errors.organizationID?.message}
      >
        <TextInput
          {...form.register("organizationID", organizationRules)}
          mono
          autoFocus
          autoComplete="organization"
          autoCapitalize="off"
          spellCheck={false}
          placeholder="org-…"
          className={styles.input}
        />
      </Field>
    </AuthFormFrame>
  );
}
