/**
 * What every form that makes or changes something has: the server's refusals on their fields, a question before
 * typing is lost, a word when someone else has saved meanwhile, and typing that survives the second factor.
 */
import type { ReactNode } from "react";
import type { FieldValues, UseFormReturn } from "react-hook-form";
import { Button, LinkButton } from "../ui/controls/button.tsx";
import { Form } from "../ui/forms/form.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { useReadOnly } from "../ui/base/read-only.ts";
import { ChangedMeanwhile } from "./changed-meanwhile.tsx";
import { useDraft } from "./draft.ts";
import styles from "./edit-form.module.css";
import { handleFormError, reword } from "./errors.ts";
import { LeaveGuard } from "./leave-guard.tsx";
import type { Rule } from "./messages.ts";
import { useRenewal } from "./renewal.ts";

export interface EditFormProps<Values extends FieldValues> {
  form: UseFormReturn<Values>;
  /** What the form is about: "network". */
  noun: string;
  /** As last heard from the server, in the form's own shape; left out for something new. */
  latest?: Values | undefined;
  /** Throws what its call threw. After it the form is left with `nothingToLose`. */
  save: (values: Values) => Promise<unknown>;
  /** Better words for what the server refuses. */
  rules?: readonly Rule[] | undefined;
  /** What to do about a refusal that is no field's, by its code. */
  wayOut?: ((code: string) => ReactNode) | undefined;
  submitLabel: string;
  cancelTo: string;
  children: ReactNode;
}

export function EditForm<Values extends FieldValues>(props: EditFormProps<Values>) {
  const { form, noun, latest, save, rules = [], wayOut, submitLabel, cancelTo, children } = props;
  const { errors, isDirty, isSubmitting } = form.formState;
  const renew = useRenewal(useDraft(form));
  const isReadOnly = useReadOnly();

  const saveOrSay = form.handleSubmit(async (values) => {
    try {
      await save(values);
    } catch (error) {
      if (!renew(error)) handleFormError(reword(error, rules), form);
    }
  });

  if (isReadOnly)
    return (
      <fieldset disabled className={styles.fields}>
        <Notice tone="info">Your role is auditor: you can look at this {noun}, but not change it.</Notice>
        {children}
      </fieldset>
    );
  return (
    <>
      <Form className={styles.form} pending={isSubmitting} onSubmit={() => void saveOrSay()}>
        {latest && <ChangedMeanwhile form={form} latest={latest} noun={noun} />}
        {children}
        {errors.root?.message && (
          <Notice tone="danger" actions={wayOut?.(String(errors.root.type))}>
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
