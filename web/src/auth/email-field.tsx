import { MagicLinkRequest } from "@lightkeeper/contract";
import type { UseFormRegisterReturn } from "react-hook-form";
import { emailInvalid } from "../lib/messages.ts";
import { Field, TextInput } from "../ui/forms/field.tsx";
import styles from "./auth.module.css";

/** The same words as for the server's refusal of an address. */
export const emailRules = {
  validate: (email: string) => MagicLinkRequest.safeParse({ email }).success || String(emailInvalid.message),
};

interface EmailFieldProps {
  registration: UseFormRegisterReturn;
  error: string | undefined;
}

export function EmailField({ registration, error }: EmailFieldProps) {
  return (
    <Field label="E-mail address" error={error}>
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
