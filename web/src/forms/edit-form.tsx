/**
 * What every form that creates or edits something needs: errors on their fields, a warning before unsaved changes are
 * lost, a notice when someone else has saved, and values that survive a second-factor prompt.
 */
import type { ReactNode } from "react";
import type { FieldValues, UseFormReturn } from "react-hook-form";
import { Button, LinkButton } from "../ui/controls/button.tsx";
import { Form } from "../ui/forms/form.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { useReadOnly } from "../ui/base/read-only.ts";
import { ConcurrentChangeNotice } from "./concurrent-change-notice.tsx";
import { useDraft } from "./draft.ts";
import styles from "./edit-form.module.css";
import { handleFormError, reword } from "../lib/errors.ts";
import { LeaveGuard } from "./leave-guard.tsx";
import type { Rule } from "../lib/messages.ts";
import { useRenewal } from "../lib/renewal.ts";

export interface EditFormProps<Values extends FieldValues> {
  form: UseFormReturn<Values>;
  /** What the form is about: "network". */
  noun: string;
  /** The form values as last loaded from the server; omitted when creating. */
  latest?: Values | undefined;
  /** Rethrows the error of its call. After it resolves, the caller navigates away with `nothingToLose`. */
  save: (values: Values) => Promise<unknown>;
  /** Replacements for the server's error messages. */
  rules?: readonly Rule[] | undefined;
  /** What the person can do about an error that belongs to no field, by its code. */
  errorAction?: ((code: string) => ReactNode) | undefined;
  submitLabel: string;
  cancelTo: string;
  children: ReactNode;
}

export function EditForm<Values extends FieldValues>(props: EditFormProps<Values>) {
  const { form, noun, latest, save, rules = [], errorAction, submitLabel, cancelTo, children } = props;
  const { errors, isDirty, isSubmitting } = form.formState;
  const renew = useRenewal(useDraft(form));
  const isReadOnly = useReadOnly();

  const saveOrShowErrors = form.handleSubmit(async (values) => {
    try {
      await save(values);
    } catch (error) {
      if (!renew(error)) handleFormError(reword(error, rules), form);
    }
  });

  if (isReadOnly)
    return (
      <fieldset disabled className={styles.fields}>
        <Notice tone="info">You have read-only access to this {noun}.</Notice>
        {children}
      </fieldset>
    );
  return (
    <>
      <Form className={styles.form} pending={isSubmitting} onSubmit={() => void saveOrShowErrors()}>
        {latest && <ConcurrentChangeNotice form={form} latest={latest} noun={noun} />}
        {children}
        {errors.root?.message && (
          <Notice tone="danger" actions={errorAction?.(String(errors.root.type))}>
            {errors.root.message}
          </Notice>
        )}
        <div className={styles.actions}>
          <Button type="submit" variant="primary" pending={isSubmitting}>
            {submitLabel}
          </Button>
          <LinkButton to={cancelTo} variant="quiet">
            Cancel
          </LinkButton>
        </div>
      </Form>
      <LeaveGuard isDirty={isDirty} />
    </>
  );
}
