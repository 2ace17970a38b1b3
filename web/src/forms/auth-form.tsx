import type { ReactNode } from "react";
import { useForm, type DefaultValues, type FieldValues, type UseFormReturn } from "react-hook-form";
import { handleFormError, markHandled, reword } from "../lib/errors.ts";
import type { Rule } from "../lib/messages.ts";
import { Button } from "../ui/controls/button.tsx";
import { Form } from "../ui/forms/form.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import styles from "./auth-form.module.css";

interface AuthFormOptions<Values extends FieldValues> {
  defaultValues: DefaultValues<Values>;
  send: (values: Values) => Promise<unknown>;
  rules: readonly Rule[];
  /** Called first; returns true if it has handled the error. */
  handleError?: (error: unknown, form: UseFormReturn<Values>) => boolean;
}

export interface AuthForm<Values extends FieldValues> {
  form: UseFormReturn<Values>;
  submit: () => void;
}

/** A form with one call. If the call fails, the typed values stay and each error is shown on its field. */
export function useAuthForm<Values extends FieldValues>(options: AuthFormOptions<Values>): AuthForm<Values> {
  const { defaultValues, send, rules, handleError } = options;
  const form = useForm<Values>({ defaultValues });
  const { isSubmitting } = form.formState;

  const sendOrShowErrors = form.handleSubmit(async (values) => {
    try {
      await send(values);
    } catch (error) {
      if (handleError?.(error, form)) markHandled(error);
      else handleFormError(reword(error, rules), form);
    }
  });
  const submit = () => {
    if (!isSubmitting) void sendOrShowErrors();
  };
  return { form, submit };
}

interface AuthFormFrameProps<Values extends FieldValues> extends AuthForm<Values> {
  submitLabel: string;
  /** The second form on a page, whose button is less prominent. */
  secondary?: boolean;
  children: ReactNode;
}

export function AuthFormFrame<Values extends FieldValues>(props: AuthFormFrameProps<Values>) {
  const { form, submit, submitLabel, secondary, children } = props;
  const { errors, isSubmitting } = form.formState;

  return (
    <Form className={styles.form} pending={isSubmitting} onSubmit={submit}>
      {children}
      {errors.root?.message && <Notice tone="danger">{errors.root.message}</Notice>}
      <Button
        type="submit"
        variant={secondary ? "default" : "primary"}
        size="large"
        wide
        pending={isSubmitting}
      >
        {submitLabel}
      </Button>
    </Form>
  );
}
