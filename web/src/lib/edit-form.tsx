/**
 * What every form that makes or changes something has: the server's refusals on their fields, a question before
 * typing is lost, a word when someone else has saved meanwhile, and typing that survives the second factor.
 */
import { AuthError } from "@lightkeeper/contract";
import type { ReactNode } from "react";
import type { FieldValues, UseFormReturn } from "react-hook-form";
import { useLocation, useNavigate } from "react-router";
import { Button, LinkButton } from "../ui/button.tsx";
import { Form } from "../ui/form.tsx";
import { Notice } from "../ui/notice.tsx";
import { ChangedMeanwhile } from "./changed-meanwhile.tsx";
import { useDraft } from "./draft.ts";
import styles from "./edit-form.module.css";
import { handleFormError, markHandled, reword } from "./errors.ts";
import { LeaveGuard } from "./leave-guard.tsx";
import type { Rule } from "./messages.ts";
import { rememberReturnTo } from "./session.ts";

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
  submitLabel: string;
  cancelTo: string;
  children: ReactNode;
}

const wantsSecondFactor = (error: unknown) =>
  error instanceof AuthError && error.code === "ERR_2FA_RENEWAL_REQUIRED";

export function EditForm<Values extends FieldValues>(props: EditFormProps<Values>) {
  const { form, noun, latest, save, rules = [], submitLabel, cancelTo, children } = props;
  const { errors, isDirty, isSubmitting } = form.formState;
  const keepDraft = useDraft(form);
  const { pathname, search } = useLocation();
  const navigate = useNavigate();

  const saveOrSay = form.handleSubmit(async (values) => {
    try {
      await save(values);
    } catch (error) {
      if (!wantsSecondFactor(error)) return handleFormError(reword(error, rules), form);
      markHandled(error);
      keepDraft();
      rememberReturnTo(pathname + search);
      await navigate("/auth/mfa/renew");
    }
  });

  return (
    <>
      <Form className={styles.form} pending={isSubmitting} onSubmit={() => void saveOrSay()}>
        {latest && <ChangedMeanwhile form={form} latest={latest} noun={noun} />}
        {children}
        {errors.root?.message && <Notice tone="danger">{errors.root.message}</Notice>}
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
