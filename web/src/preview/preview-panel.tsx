import type { AccessPreview } from "@lightkeeper/contract";
import type { ReactNode, Ref } from "react";
import { messageOf, reword } from "../lib/errors.ts";
import { formatNumber } from "../lib/format.ts";
import type { Rule } from "../lib/messages.ts";
import { AffectedHosts } from "./affected-hosts.tsx";
import { BrokenGuarantees } from "./broken-guarantees.tsx";
import { ChangeList } from "./changes-preview.tsx";
import { OwnAccess } from "./own-access.tsx";
import { PanelFrame } from "./panel-frame.tsx";
import { hasNoChange, NO_CHANGE } from "./preview-summary.ts";
import styles from "./preview.module.css";
import type { PreviewState } from "./use-preview.ts";

interface PreviewPanelProps extends Omit<PreviewState, "data"> {
  /** Gets the focus when saving is prevented. */
  noticeRef: Ref<HTMLDivElement>;
  preview: AccessPreview | undefined;
  /** Rewords the error. */
  rules: readonly Rule[];
  summary: ReactNode;
  note: ReactNode;
}

/** What saving would change, ordered by what it costs to overlook. */
export function PreviewPanel(props: PreviewPanelProps) {
  const { noticeRef, preview, isLoading, summary, note } = props;
  return (
    <PanelFrame isBusy={isLoading} summary={summary} note={note}>
      {preview ? (
        <Changes preview={preview} noticeRef={noticeRef} />
      ) : (
        <p className={styles.line}>{waitingText(props)}</p>
      )}
    </PanelFrame>
  );
}

function waitingText({ isIncomplete, error, rules }: PreviewPanelProps): string {
  if (error) return `Can’t preview these changes. ${messageOf(reword(error, rules))}`;
  return isIncomplete ? "Complete the form to preview its changes." : "Checking…";
}

function Changes({ preview, noticeRef }: { preview: AccessPreview; noticeRef: Ref<HTMLDivElement> }) {
  const { opened, closed, brokenGuarantees, ownAccessLost } = preview;
  return (
    <>
      {ownAccessLost.length > 0 && <OwnAccess lost={ownAccessLost} />}
      {brokenGuarantees.length > 0 && <BrokenGuarantees ref={noticeRef} guarantees={brokenGuarantees} />}
      {hasNoChange(preview) ? <p className={styles.line}>{NO_CHANGE}</p> : <Counts preview={preview} />}
      <ChangeList opened={opened} closed={closed} />
      <AffectedHosts preview={preview} />
    </>
  );
}

function Counts({ preview }: { preview: AccessPreview }) {
  const { openedPairCount, closedPairCount, affectedHostCount } = preview;
  return (
    <dl className={styles.counts}>
      <div>
        <dt>Opened</dt>
        <dd className={openedPairCount > 0 ? styles.openedCount : undefined}>
          {openedPairCount > 0 && "+"}
          {formatNumber(openedPairCount)}
        </dd>
      </div>
      <div>
        <dt>Closed</dt>
        <dd className={closedPairCount > 0 ? styles.closedCount : undefined}>
          {closedPairCount > 0 && "−"}
          {formatNumber(closedPairCount)}
        </dd>
      </div>
      <div>
        <dt>Hosts affected</dt>
        <dd>{formatNumber(affectedHostCount)}</dd>
      </div>
    </dl>
  );
}
