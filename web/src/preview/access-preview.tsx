import { lazy, Suspense, useState, type ReactNode } from "react";
import { useFormState, useWatch, type FieldValues, type UseFormReturn } from "react-hook-form";
import type { Rule } from "../lib/messages.ts";
import { useIsPhone } from "../ui/base/phone.ts";
import { useReadOnly } from "../ui/base/read-only.ts";
import { PanelFrame } from "./panel-frame.tsx";
import { NO_CHANGE } from "./preview-summary.ts";
import type { AccessPreviewProps } from "./access-preview-props.ts";
import type { PreviewMutations } from "./preview-values.ts";
import styles from "./preview.module.css";
import type { PreviewGuard } from "./preview-guard.ts";
import { usePreviewGuard } from "./use-preview-guard.ts";

export { usePreviewGuard };

/** What saving would open and close, updated while the values change. */
export function AccessPreview(props: AccessPreviewProps) {
  return useReadOnly() ? null : <VisiblePreview {...props} />;
}

const ChangePreview = lazy(() => import("./change-preview.tsx"));

/** Everything that describes a change loads when there is one. */
function VisiblePreview(props: AccessPreviewProps) {
  const { mutations, summary, note, isInline = false } = props;
  const [hasChanged, setChanged] = useState(false);
  if (mutations?.length !== 0 && !hasChanged) setChanged(true);
  const isPhone = useIsPhone();
  const idle =
    isPhone && !isInline ? null : (
      <IdlePanel summary={summary} note={note} isInline={isInline} isPending={hasChanged} />
    );
  return hasChanged ? (
    <Suspense fallback={idle}>
      <ChangePreview {...props} />
    </Suspense>
  ) : (
    idle
  );
}

interface IdlePanelProps {
  summary: ReactNode;
  note: ReactNode;
  isInline: boolean;
  isPending: boolean;
}

function IdlePanel({ summary, note, isInline, isPending }: IdlePanelProps) {
  return (
    <div className={isInline ? styles.inline : styles.aside} data-aside={!isInline || undefined}>
      <PanelFrame isBusy={isPending} summary={summary} note={note}>
        <p className={styles.line}>{isPending ? "Checking…" : NO_CHANGE}</p>
      </PanelFrame>
    </div>
  );
}

interface FormPreviewOptions<Values extends FieldValues> {
  form: UseFormReturn<Values>;
  /** The calls that saving the values would make. */
  toMutations: (values: Values) => PreviewMutations;
  /** The name of the object, which has to be typed to confirm. */
  nameOf: (values: Values) => string;
  /** Rewords the errors of the calls. */
  rules: readonly Rule[];
}

/** The preview of a form, and how to save without breaking a guarantee unnoticed. */
export function useFormPreview<Values extends FieldValues>({
  form,
  toMutations,
  nameOf,
  rules,
}: FormPreviewOptions<Values>) {
  const guard = usePreviewGuard();
  const { isDirty } = form.formState;
  return {
    props: { form, guard, toMutations, rules },
    save: (values: Values, run: () => Promise<unknown>) =>
      guard.save({ mutations: isDirty ? toMutations(values) : [], name: nameOf(values), run }),
  };
}

interface FormPreviewProps<Values extends FieldValues> {
  form: UseFormReturn<Values>;
  guard: PreviewGuard;
  toMutations: (values: Values) => PreviewMutations;
  rules: readonly Rule[];
  summary?: ReactNode;
  note?: ReactNode;
}

/** A separate component, so that typing renders only the preview again. */
export function FormPreview<Values extends FieldValues>(props: FormPreviewProps<Values>) {
  const { form, guard, toMutations, rules, summary, note } = props;
  const { isDirty } = useFormState({ control: form.control });
  // The form has all of its values from the start.
  const values = useWatch({ control: form.control }) as Values;
  const mutations = isDirty ? toMutations(values) : [];
  return <AccessPreview guard={guard} mutations={mutations} rules={rules} summary={summary} note={note} />;
}
