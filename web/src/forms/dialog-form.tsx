import { useId, type ReactNode } from "react";
import type { FieldValues, UseFormReturn } from "react-hook-form";
import { Button } from "../ui/controls/button.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { Form } from "../ui/forms/form.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import styles from "./edit-form.module.css";
import { useDraft } from "./draft.ts";
import { handleFormError, reword } from "../lib/errors.ts";
import type { Rule } from "../lib/messages.ts";
import { useRenewal } from "../lib/renewal.ts";

interface DialogFormProps<Values extends FieldValues> {
  form: UseFormReturn<Values>;
  title: ReactNode;
  /** What the form is for, or what happens on submit. */
  description?: ReactNode;
  submitLabel: string;
  /** For actions that can't be undone. */
  danger?: boolean | undefined;
  /** Rethrows the error of its call. The dialog closes after it resolves. */
  save: (values: Values) => Promise<unknown>;
  rules?: readonly Rule[] | undefined;
  onClose: () => void;
  children: ReactNode;
}

/** A form in a dialog with a URL. Errors appear on their fields, and typed values survive a second-factor prompt. */
export function DialogForm<Values extends FieldValues>(props: DialogFormProps<Values>) {
  const { form, title, description, submitLabel, danger, save, rules = [], onClose, children } = props;
  const id = useId();
  const { errors, isSubmitting } = form.formState;
  const renew = useRenewal(useDraft(form, "dialog"));
  const saveOrShowErrors = form.handleSubmit(async (values) => {
    try {
      await save(values);
    } catch (error) {
      if (!renew(error)) handleFormError(reword(error, rules), form);
    }
  });
  return (
    <Dialog
      open
      alert={danger}
      title={title}
      description={description}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={id} variant={danger ? "danger" : "primary"} pending={isSubmitting}>
            {submitLabel}
          </Button>
        </>
      }
    >
      <Form id={id} className={styles.form} pending={isSubmitting} onSubmit={() => void saveOrShowErrors()}>
        {children}
        {errors.root?.message && <Notice tone="danger">{errors.root.message}</Notice>}
      </Form>
    </Dialog>
  );
}
