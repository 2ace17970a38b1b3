import { ForbiddenError, signup } from "@lightkeeper/contract";
import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import { emailInvalid, tooManySignups } from "../lib/messages.ts";
import { useWrite } from "../lib/query.ts";
import { RadioCard, RadioGroup } from "../ui/radio-group.tsx";
import { AuthFormFrame, useAuthForm } from "../lib/auth-form.tsx";
import { AuthPanel } from "./auth-panel.tsx";
import styles from "./auth.module.css";
import { CheckEmail } from "./check-email.tsx";
import { EmailField, emailRules } from "./email-field.tsx";
import { SignedOutOnly } from "./go-on.tsx";
import { INVITATION_ONLY } from "./invitation-only.ts";

interface SignupValues {
  email: string;
  plan: "free" | "pro";
}

export function Component() {
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
    plan: parameters.get("plan") === "pro" ? "pro" : "free",
  });
  const [isSent, setIsSent] = useState(false);
  const { mutateAsync } = useWrite(signup);
  const send = ({ email, plan }: SignupValues) =>
    mutateAsync({ body: { email: email.trim(), ...(plan === "pro" && { plan }) } });

  if (isSent)
    return (
      <CheckEmail email={values.email} sendAgain={() => send(values)} onUseAnother={() => setIsSent(false)} />
    );

  async function askForLink(given: SignupValues) {
    await send(given);
    setValues({ ...given, email: given.email.trim() });
    setIsSent(true);
  }

  return (
    <AuthPanel title="Sign up" pageTitle="Sign up" lead="We will e-mail you a link. No password, no card.">
      <SignupForm values={values} send={askForLink} />
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
  const { form, submit } = useAuthForm<SignupValues>({
    defaultValues: values,
    send,
    rules: [emailInvalid, tooManySignups],
    takes: (error, { setError }) => {
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
      <RadioGroup label="Plan">
        <RadioCard {...form.register("plan")} value="free" label="Free" description="Up to 100 hosts" />
        <RadioCard
          {...form.register("plan")}
          value="pro"
          label="Pro"
          description="1 USD per host and month"
        />
      </RadioGroup>
    </AuthFormFrame>
  );
}
