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
  /** Looks at a failure first and says whether it has dealt with it. */
  takes?: (error: unknown, form: UseFormReturn<Values>) => boolean;
}

export interface AuthForm<Values extends FieldValues> {
  form: UseFormReturn<Values>;
  submit: () => void;
}

/** A form whose one call may fail: what was typed stays, and each entry lands where it belongs. */
export function useAuthForm<Values extends FieldValues>(options: AuthFormOptions<Values>): AuthForm<Values> {
  const { defaultValues, send, rules, takes } = options;
  const form = useForm<Values>({ defaultValues });
  const { isSubmitting } = form.formState;

  const sendOrSay = form.handleSubmit(async (values) => {
    try {
      await send(values);
    } catch (error) {
      if (takes?.(error, form)) markHandled(error);
      else handleFormError(reword(error, rules), form);
    }
  });
  const submit = () => {
    if (!isSubmitting) void sendOrSay();
  };
  return { form, submit };
}

interface AuthFormFrameProps<Values extends FieldValues> extends AuthForm<Values> {
  submitLabel: string;
  /** A second form on the same page: the first one's button keeps the eye. */
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
