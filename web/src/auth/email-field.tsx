import { MagicLinkRequest } from "@lightkeeper/contract";
import type { UseFormRegisterReturn } from "react-hook-form";
import { emailInvalid } from "../lib/messages.ts";
import { Field, TextInput } from "../ui/forms/field.tsx";
import styles from "./auth.module.css";

/** Shows the same message as for an address that the server rejects. */
export const emailRules = {
  validate: (email: string) => MagicLinkRequest.safeParse({ email }).success || String(emailInvalid.message),
};

interface EmailFieldProps {
  registration: UseFormRegisterReturn;
  error: string | undefined;
}

export function EmailField({ registration, error }: EmailFieldProps) {
  return (
    <Field label="Email address" error={error}>
      <TextInput
        {...registration}
        type="email"
        autoComplete="email"
        autoCapitalize="off"
        spellCheck={false}
        placeholder="you@company.com"
        autoFocus
        className={styles.input}
      />
    </Field>
  );
}
