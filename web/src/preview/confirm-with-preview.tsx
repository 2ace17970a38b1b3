import { lazy, Suspense, useRef } from "react";
import { reword } from "../lib/errors.ts";
import type { Rule } from "../lib/messages.ts";
import { rejectionOf } from "../on-demand/dependents.tsx";
import { ConfirmDialog, type ConfirmDialogProps } from "../ui/overlays/confirm-dialog.tsx";
import { CompactFrame } from "./compact-frame.tsx";
import { mergeBroken } from "./preview-summary.ts";
import type { PreviewMutations } from "./preview-values.ts";
import styles from "./preview.module.css";
import { usePreview } from "./use-preview.ts";
import { violatedGuarantees } from "./violation-values.ts";

const CompactPreview = lazy(() => import("./compact-preview.tsx"));

interface ConfirmWithPreviewProps extends Omit<ConfirmDialogProps, "open" | "error"> {
  /** The calls that confirming makes; null while their values are loading. */
  mutations: PreviewMutations;
  /** Has to be typed if the person would lose their own access. */
  name: string;
  /** Why the call failed. */
  error: Error | null;
  /** Rewords the errors of the call, also in its preview. */
  rules: readonly Rule[];
}

const CHECKING = "Checking…";

/** Confirms a change of access, with its preview. Confirming never waits for the preview. */
export function ConfirmWithPreview(props: ConfirmWithPreviewProps) {
  const { mutations, name, error, rules, children, typedName, onConfirm, ...dialog } = props;
  const notice = useRef<HTMLDivElement>(null);
  const { data, error: previewError } = usePreview(mutations);
  const violated = violatedGuarantees(error);
  const isViolation = violated.length > 0;
  // Once the call has failed, its error says why there is no preview.
  const isShown = data !== undefined || !error || isViolation;

  function confirm() {
    if (data && data.brokenGuarantees.length > 0) notice.current?.focus();
    else onConfirm();
  }

  return (
    <ConfirmDialog
      {...dialog}
      open
      typedName={typedName ?? (data && data.ownAccessLost.length > 0 ? name : undefined)}
      error={isViolation ? undefined : rejectionOf(error)}
      onConfirm={confirm}
    >
      {isShown && (
        <Suspense fallback={<PendingPreview />}>
          <CompactPreview
            noticeRef={notice}
            preview={mergeBroken(data, violated)}
            status={
              previewError ? (
                <>Can’t preview this change. {rejectionOf(reword(previewError, rules))}</>
              ) : (
                CHECKING
              )
            }
            violation={isViolation && error ? error : undefined}
          />
        </Suspense>
      )}
      {children}
    </ConfirmDialog>
  );
}

const PendingPreview = () => (
  <CompactFrame>
    <p className={styles.line}>{CHECKING}</p>
  </CompactFrame>
);
