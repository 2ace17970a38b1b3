import { MagicLinkRequest, Organization } from "@lightkeeper/contract";
import { useState } from "react";
import { useNavigate } from "react-router";
import { rememberedSsoOrganization } from "../lib/session.ts";
import { Button, LinkButton } from "../ui/controls/button.tsx";
import { Field, TextInput } from "../ui/forms/field.tsx";
import { AuthFormFrame, useAuthForm } from "../forms/auth-form.tsx";
import styles from "./auth.module.css";

const ssoPath = (organization: string) => `/auth/login/${encodeURIComponent(organization)}`;

/** Links to the organization of the last single sign-on, or asks for one. */
export function SsoChoice() {
  const [isFormOpen, setFormOpen] = useState(false);
  const remembered = rememberedSsoOrganization();
  if (isFormOpen) return <OrganizationForm />;
  if (!remembered)
    return (
      <Button size="large" wide onClick={() => setFormOpen(true)}>
        Single sign-on
      </Button>
    );
  return (
    <div className={styles.actions}>
      <LinkButton size="large" wide to={ssoPath(remembered)}>
        Single sign-on
      </LinkButton>
      <Button variant="quiet" onClick={() => setFormOpen(true)}>
        Use another organization
      </Button>
    </div>
  );
}

/** The part of the login URL that identifies the organization: its ID, or the domain of an email address. */
function organizationOf(typed: string): string | undefined {
  const value = typed.trim();
  if (Organization.shape.id.safeParse(value).success) return value;
  return MagicLinkRequest.safeParse({ email: value }).success
    ? value.slice(value.lastIndexOf("@") + 1).toLowerCase()
    : undefined;
}

const organizationRules = {
  validate: (typed: string) =>
    organizationOf(typed) !== undefined ||
    "Enter your work email or an organization ID, which starts with “org-”.",
};

function OrganizationForm() {
  const navigate = useNavigate();
  const { form, submit } = useAuthForm({
    defaultValues: { organization: "" },
    send: async ({ organization }) => navigate(ssoPath(organizationOf(organization) ?? "")),
    rules: [],
  });
  return (
    <AuthFormFrame form={form} submit={submit} submitLabel="Continue with single sign-on" secondary>
      <Field
        label="Work email or organization ID"
        hint="Ask your administrator for the ID. It’s shown under Settings → Single sign-on."
        error={form.formState.errors.organization?.message}
      >
        <TextInput
          {...form.register("organization", organizationRules)}
          autoFocus
          autoComplete="email"
          autoCapitalize="off"
          spellCheck={false}
          placeholder="you@example.com"
          className={styles.input}
        />
      </Field>
    </AuthFormFrame>
  );
}
