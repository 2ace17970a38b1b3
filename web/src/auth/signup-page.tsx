import { ForbiddenError, signup } from "@lightkeeper/contract";
import { useState } from "react";
import type { UseFormReturn } from "react-hook-form";
import { Link, useSearchParams } from "react-router";
import { config } from "../lib/config.ts";
import { hasCode } from "../lib/errors.ts";
import { emailInvalid, setupCodeInvalid, tooManySignups } from "../lib/messages.ts";
import { useWrite } from "../lib/query.ts";
import { Field, TextInput } from "../ui/forms/field.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { RadioCard, RadioGroup } from "../ui/forms/radio-group.tsx";
import { AuthFormFrame, useAuthForm } from "../forms/auth-form.tsx";
import { AuthPanel } from "./auth-panel.tsx";
import styles from "./auth.module.css";
import { CheckEmail } from "./check-email.tsx";
import { EmailField, emailRules } from "./email-field.tsx";
import { SignedOutOnly } from "./redirect-after-login.tsx";
import { INVITATION_ONLY } from "./invitation-only.ts";

interface SignupValues {
  email: string;
  setupCode: string;
  plan: "free" | "pro";
}

export function SignupPage() {
  return (
    <SignedOutOnly>
      <SignUp />
    </SignedOutOnly>
  );
}

function SignUp() {
  const [parameters] = useSearchParams();
  const [values, setValues] = useState<SignupValues>({
    email: "",
    setupCode: "",
    plan: parameters.get("plan") === "pro" ? "pro" : "free",
  });
  const [isSent, setIsSent] = useState(false);
  const { mutateAsync } = useWrite(signup);
  const send = ({ email, setupCode, plan }: SignupValues) =>
    mutateAsync({
      body: {
        email: email.trim(),
        ...(plan === "pro" && { plan }),
        ...(setupCode.trim() && { setupCode: setupCode.trim() }),
      },
    });

  if (isSent)
    return (
      <CheckEmail email={values.email} sendAgain={() => send(values)} onUseAnother={() => setIsSent(false)} />
    );

  async function requestLink(submitted: SignupValues) {
    await send(submitted);
    setValues({ ...submitted, email: submitted.email.trim() });
    setIsSent(true);
  }

  return (
    <AuthPanel
      title="Sign up"
      pageTitle="Sign up"
      lead="We’ll email you a link to finish signing up. No password needed."
    >
      <SignupForm values={values} send={requestLink} />
      <p className={styles.aside}>
        Have an account? <Link to="/auth/login">Log in</Link>
      </p>
    </AuthPanel>
  );
}

interface SignupFormProps {
  values: SignupValues;
  send: (values: SignupValues) => Promise<void>;
}

function SignupForm({ values, send }: SignupFormProps) {
  // Only the first account needs the code: the server's error says so.
  const [hasSetupCode, setHasSetupCode] = useState(values.setupCode !== "");
  const { form, submit } = useAuthForm<SignupValues>({
    defaultValues: values,
    send,
    rules: [emailInvalid, tooManySignups, setupCodeInvalid],
    handleError: (error, { setError }) => {
      if (hasCode(error, "ERR_INVALID_SETUP_CODE") && !hasSetupCode) {
        setHasSetupCode(true);
        return true;
      }
      if (!(error instanceof ForbiddenError)) return false;
      setError("root", { message: INVITATION_ONLY });
      return true;
    },
  });
  return (
    <AuthFormFrame form={form} submit={submit} submitLabel="Send link">
      <EmailField
        registration={form.register("email", emailRules)}
        error={form.formState.errors.email?.message}
      />
      {hasSetupCode && <SetupCodeField form={form} />}
      {config.hasPlans && (
        <RadioGroup label="Plan">
          <RadioCard {...form.register("plan")} value="free" label="Free" description="Up to 100 hosts" />
          <RadioCard {...form.register("plan")} value="pro" label="Pro" description="$1 per host per month" />
        </RadioGroup>
      )}
    </AuthFormFrame>
  );
}

function SetupCodeField({ form }: { form: UseFormReturn<SignupValues> }) {
  return (
    <>
      <Notice tone="info">The first account on this server requires the server’s setup code.</Notice>
      <Field
        label="Setup code"
        hint="Printed in the server’s log when the server first starts."
        error={form.formState.errors.setupCode?.message}
      >
        <TextInput
          {...form.register("setupCode", { required: "Enter the setup code from the server’s log." })}
          mono
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          placeholder="ABCD-EFGH-IJKL-MNOP-QRST-UVWX"
          autoFocus
          className={styles.input}
        />
      </Field>
    </>
  );
}
