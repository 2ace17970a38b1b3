import type { AccessPreview } from "@lightkeeper/contract";
import { Fragment, type ReactNode } from "react";
import { formatCount, formatNumber } from "../lib/format.ts";
import { classNames } from "../ui/base/class-names.ts";
import { ChevronRightIcon } from "../ui/base/icons.tsx";
import { Button } from "../ui/controls/button.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { brokenTitle, hasNoChange, NO_CHANGE } from "./preview-summary.ts";
import styles from "./preview.module.css";
import type { PreviewGuard } from "./preview-guard.ts";

interface PreviewBarProps {
  guard: PreviewGuard;
  preview: AccessPreview | undefined;
  /** The panel. */
  children: ReactNode;
}

/** On phones: the counts above the submit button, which open the panel as a sheet. */
export function PreviewBar({
  guard: { notice, isSheetOpen, setSheetOpen },
  preview,
  children,
}: PreviewBarProps) {
  const close = () => setSheetOpen(false);
  const isDanger = preview && preview.brokenGuarantees.length + preview.ownAccessLost.length > 0;
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-expanded={isSheetOpen}
        className={classNames(styles.bar, isDanger && styles.barDanger)}
        onClick={() => setSheetOpen(true)}
      >
        <span>
          <b>Preview changes</b>
          <BarText preview={preview} />
        </span>
        <ChevronRightIcon />
      </button>
      <Dialog
        open={isSheetOpen}
        onClose={close}
        title="Preview"
        initialFocus={preview && preview.brokenGuarantees.length > 0 ? notice : undefined}
        actions={
          <Button variant="primary" onClick={close}>
            Done
          </Button>
        }
      >
        <div className={styles.sheet}>{children}</div>
      </Dialog>
    </>
  );
}

/** The most important facts first, on one or two lines. */
function BarText({ preview }: { preview: AccessPreview | undefined }) {
  return (
    <span className={styles.barText}>
      {factsOf(preview).map((fact, index) => (
        <Fragment key={fact}>
          {index > 0 && " · "}
          <span className={styles.fact}>{fact}</span>
        </Fragment>
      ))}
    </span>
  );
}

function factsOf(preview: AccessPreview | undefined): string[] {
  if (!preview) return [];
  if (hasNoChange(preview)) return [NO_CHANGE];
  const { brokenGuarantees, ownAccessLost, openedPairCount, closedPairCount, affectedHostCount } = preview;
  return [
    ...(ownAccessLost.length > 0 ? ["You would lose your own access"] : []),
    ...(brokenGuarantees.length > 0 ? [brokenTitle(brokenGuarantees.length)] : []),
    ...(openedPairCount > 0 ? [`+${formatNumber(openedPairCount)} opened`] : []),
    ...(closedPairCount > 0 ? [`−${formatNumber(closedPairCount)} closed`] : []),
    formatCount(affectedHostCount, "host"),
  ];
}
