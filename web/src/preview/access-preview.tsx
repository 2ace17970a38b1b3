import type { ReactNode } from "react";
import { useFormState, useWatch, type FieldValues, type UseFormReturn } from "react-hook-form";
import { useIsPhone } from "../ui/base/phone.ts";
import { useReadOnly } from "../ui/base/read-only.ts";
import { ConfirmLostAccess } from "./confirm-lost-access.tsx";
import { PreviewAnnouncement } from "./preview-announcement.tsx";
import { PreviewBar } from "./preview-bar.tsx";
import { PreviewPanel } from "./preview-panel.tsx";
import { mergeBroken, previewTitle } from "./preview-summary.ts";
import type { PreviewMutations } from "./preview-values.ts";
import styles from "./preview.module.css";
import { usePreviewGuard, type PreviewGuard } from "./use-preview-guard.ts";
import { usePreview } from "./use-preview.ts";

export { usePreviewGuard, type PreviewGuard };

interface AccessPreviewProps {
  guard: PreviewGuard;
  mutations: PreviewMutations;
  /** Shown below the changes. */
  note?: ReactNode;
  /** Always within its surroundings, such as a dialog; otherwise beside the form on wide screens. */
  isInline?: boolean;
}

/** What saving would open and close, updated while the values change. */
export function AccessPreview(props: AccessPreviewProps) {
  return useReadOnly() ? null : <VisiblePreview {...props} />;
}

function VisiblePreview({ guard, mutations, note, isInline = false }: AccessPreviewProps) {
  const isPhone = useIsPhone();
  const { data, ...state } = usePreview(mutations);
  const preview = mergeBroken(data, guard.violatedBy(mutations));
  const panel = <PreviewPanel {...state} noticeRef={guard.notice} preview={preview} note={note} />;
  const isBroken = preview !== undefined && preview.brokenGuarantees.length > 0;
  return (
    <>
      {isPhone && !isInline ? (
        <PreviewBar guard={guard} preview={preview}>
          {panel}
        </PreviewBar>
      ) : (
        <div className={isInline ? styles.inline : styles.aside} data-aside={!isInline || undefined}>
          {panel}
        </div>
      )}
      {isBroken && <p className={styles.blocked}>This change breaks a guarantee and can’t be saved.</p>}
      <PreviewAnnouncement key={JSON.stringify(preview)} text={previewTitle(preview)} />
      <ConfirmLostAccess guard={guard} />
    </>
  );
}

interface FormPreviewOptions<Values extends FieldValues> {
  form: UseFormReturn<Values>;
  /** The calls that saving the values would make. */
  toMutations: (values: Values) => PreviewMutations;
  /** The name of the object, which has to be typed to confirm. */
  nameOf: (values: Values) => string;
}

/** The preview of a form, and how to save without breaking a guarantee unnoticed. */
export function useFormPreview<Values extends FieldValues>({
  form,
  toMutations,
  nameOf,
}: FormPreviewOptions<Values>) {
  const guard = usePreviewGuard();
  const { isDirty } = form.formState;
  return {
    props: { form, guard, toMutations },
    save: (values: Values, run: () => Promise<unknown>) =>
      guard.save({ mutations: isDirty ? toMutations(values) : [], name: nameOf(values), run }),
  };
}

interface FormPreviewProps<Values extends FieldValues> {
  form: UseFormReturn<Values>;
  guard: PreviewGuard;
  toMutations: (values: Values) => PreviewMutations;
  note?: ReactNode;
}

/** A separate component, so that typing renders only the preview again. */
export function FormPreview<Values extends FieldValues>(props: FormPreviewProps<Values>) {
  const { form, guard, toMutations, note } = props;
  const { isDirty } = useFormState({ control: form.control });
  // The form has all of its values from the start.
  const values = useWatch({ control: form.control }) as Values;
  return <AccessPreview guard={guard} mutations={isDirty ? toMutations(values) : []} note={note} />;
}
