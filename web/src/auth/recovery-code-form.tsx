import { FEW_RECOVERY_CODES, logInWithRecoveryCode } from "@lightkeeper/contract";
import { AuthFormFrame, useAuthForm } from "../forms/auth-form.tsx";
import { tooManyRequests, type Rule } from "../lib/messages.ts";
import { useWrite } from "../lib/query.ts";
import { saveAuthToken } from "../lib/tokens.ts";
import { Field, TextInput } from "../ui/forms/field.tsx";
import { toast } from "../ui/feedback/toast.ts";
import styles from "./auth.module.css";

const CODE_LENGTH = 24;
/** Codes that were generated before they got longer. */
const EARLIER_CODE_LENGTH = 16;

const codeInvalid: Rule = {
  path: "code",
  codes: ["ERR_INVALID_RECOVERY_CODE"],
  message: "This code doesn’t match, or was already used. Enter another one.",
};

const isComplete = (code: string) =>
  [CODE_LENGTH, EARLIER_CODE_LENGTH].includes(code.replace(/[^a-z0-9]/gi, "").length);

function describeUse(unusedCount: number): string {
  const text = `Recovery code used, ${unusedCount} left.`;
  return unusedCount > FEW_RECOVERY_CODES ? text : `${text} Generate new ones in User settings.`;
}

interface RecoveryCodeFormProps {
  submitLabel: string;
  onDone?: (() => void) | undefined;
  /** Returns true if it has handled the error. */
  handleError: (error: unknown) => boolean;
}

export function RecoveryCodeForm({ submitLabel, onDone, handleError }: RecoveryCodeFormProps) {
  const { mutateAsync: logIn } = useWrite(logInWithRecoveryCode, {
    onSuccess: ({ authToken, unusedCount }) => {
      toast(describeUse(unusedCount), { tone: "info" });
      saveAuthToken(authToken);
      onDone?.();
    },
  });
  const { form, submit } = useAuthForm<{ code: string }>({
    defaultValues: { code: "" },
    rules: [codeInvalid, tooManyRequests],
    send: ({ code }) => logIn({ body: { code: code.trim() } }),
    handleError: (error, codeForm) => {
      codeForm.setFocus("code", { shouldSelect: true });
      return handleError(error);
    },
  });
  const validate = (code: string) => isComplete(code) || "Enter the whole code.";
  return (
    <AuthFormFrame form={form} submit={submit} submitLabel={submitLabel}>
      <Field label="Recovery code" error={form.formState.errors.code?.message}>
        <TextInput
          {...form.register("code", { validate })}
          className={styles.input}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={64}
          autoFocus
        />
      </Field>
    </AuthFormFrame>
  );
}
