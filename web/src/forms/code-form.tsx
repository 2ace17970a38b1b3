import type { UseFormReturn } from "react-hook-form";
import { InternalError } from "../lib/errors.ts";
import type { Rule } from "../lib/messages.ts";
import { readTokens } from "../lib/tokens.ts";
import { CodeInput } from "../ui/forms/code-input.tsx";
import { Field } from "../ui/forms/field.tsx";
import { AuthFormFrame, useAuthForm } from "./auth-form.tsx";

export interface CodeFormProps {
  label: string;
  submitLabel: string;
  send: (code: string) => Promise<unknown>;
  rules: readonly Rule[];
  handleError?: (error: unknown, form: UseFormReturn<{ code: string }>) => boolean;
}

const message = "Enter all 6 digits.";
const codeRules = { required: message, pattern: { value: /^\d{6}$/, message } };

/** Takes the six digits of an authenticator app and submits with the last one. */
export function CodeForm({ label, submitLabel, send, rules, handleError }: CodeFormProps) {
  const { form, submit } = useAuthForm<{ code: string }>({
    defaultValues: { code: "" },
    rules,
    send: async ({ code }) => {
      if (!readTokens().userToken) throw new InternalError("A second factor was used without a user");
      await send(code);
    },
    handleError: (error, codeForm) => {
      // Typing replaces the rejected code.
      codeForm.setFocus("code", { shouldSelect: true });
      return handleError?.(error, codeForm) ?? false;
    },
  });
  return (
    <AuthFormFrame form={form} submit={submit} submitLabel={submitLabel}>
      <Field label={label} error={form.formState.errors.code?.message}>
        <CodeInput {...form.register("code", codeRules)} onComplete={submit} autoFocus />
      </Field>
    </AuthFormFrame>
  );
}
