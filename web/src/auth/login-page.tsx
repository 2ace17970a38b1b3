import { sendMagicLink } from "@lightkeeper/contract";
import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import { emailInvalid, tooManyRequests } from "../lib/messages.ts";
import { useWrite } from "../lib/query.ts";
import { AuthFormFrame, useAuthForm } from "../forms/auth-form.tsx";
import { AuthPanel } from "./auth-panel.tsx";
import styles from "./auth.module.css";
import { CheckEmail } from "./check-email.tsx";
import { EmailField, emailRules } from "./email-field.tsx";
import { SignedOutOnly } from "./redirect-after-login.tsx";
import { SsoChoice } from "./sso-choice.tsx";

export function LoginPage() {
  return (
    <SignedOutOnly>
      <LogIn />
    </SignedOutOnly>
  );
}

function LogIn() {
  const [sentTo, setSentTo] = useState<string>();
  const [parameters] = useSearchParams();
  // The link in an invitation email contains the invited address.
  const [email, setEmail] = useState(parameters.get("email") ?? "");
  const { mutateAsync: send } = useWrite(sendMagicLink);

  if (sentTo !== undefined)
    return (
      <CheckEmail
        email={sentTo}
        sendAgain={() => send({ body: { email: sentTo } })}
        onUseAnother={() => setSentTo(undefined)}
      />
    );

  async function sendLink(values: { email: string }) {
    const address = values.email.trim();
    await send({ body: { email: address } });
    setEmail(address);
    setSentTo(address);
  }

  return (
    <AuthPanel
      title="Log in"
      lead="We’ll email you a login link. You’ll also need a code from your authenticator app."
    >
      <EmailForm email={email} send={sendLink} />
      <div className={styles.or}>or</div>
      <SsoChoice />
      <p className={styles.aside}>
        New here? <Link to="/signup">Create an account</Link>
      </p>
    </AuthPanel>
  );
}

interface EmailFormProps {
  email: string;
  send: (values: { email: string }) => Promise<void>;
}

function EmailForm({ email, send }: EmailFormProps) {
  const { form, submit } = useAuthForm({
    defaultValues: { email },
    send,
    rules: [emailInvalid, tooManyRequests],
  });
  return (
    <AuthFormFrame form={form} submit={submit} submitLabel="Send link">
      <EmailField
        registration={form.register("email", emailRules)}
        error={form.formState.errors.email?.message}
      />
    </AuthFormFrame>
  );
}
