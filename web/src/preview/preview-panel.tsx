import type { AccessPreview } from "@lightkeeper/contract";
import type { ReactNode, Ref } from "react";
import { messageOf } from "../lib/errors.ts";
import { formatCount, formatNumber } from "../lib/format.ts";
import { BrokenGuarantees } from "./broken-guarantees.tsx";
import { ChangeList } from "./changes-preview.tsx";
import { LostAccess } from "./lost-access.tsx";
import { PanelFrame } from "./panel-frame.tsx";
import { hasNoChange, NO_CHANGE } from "./preview-summary.ts";
import styles from "./preview.module.css";
import type { PreviewState } from "./use-preview.ts";
import { WarningIcon } from "../ui/base/icons.tsx";

interface PreviewPanelProps extends Omit<PreviewState, "data"> {
  /** Gets the focus when saving is prevented. */
  noticeRef: Ref<HTMLDivElement>;
  preview: AccessPreview | undefined;
  note: ReactNode;
}

/** What saving would change, ordered by what it costs to overlook. */
export function PreviewPanel(props: PreviewPanelProps) {
  const { noticeRef, preview, isIncomplete, isLoading, error, note } = props;
  return (
    <PanelFrame isBusy={isLoading} note={note}>
      {preview ? (
        <Changes preview={preview} noticeRef={noticeRef} />
      ) : (
        <p className={styles.line}>{waitingText({ isIncomplete, error })}</p>
      )}
    </PanelFrame>
  );
}

function waitingText({ isIncomplete, error }: Pick<PreviewState, "isIncomplete" | "error">): string {
  if (error) return `Can’t preview these changes. ${messageOf(error)}`;
  return isIncomplete ? "Complete the form to preview its changes." : "Checking…";
}

function Changes({ preview, noticeRef }: { preview: AccessPreview; noticeRef: Ref<HTMLDivElement> }) {
  const { opened, closed, brokenGuarantees, ownAccessLost, affectedHostCount } = preview;
  return (
    <>
      {ownAccessLost.length > 0 && <OwnAccess lost={ownAccessLost} />}
      {brokenGuarantees.length > 0 && <BrokenGuarantees ref={noticeRef} guarantees={brokenGuarantees} />}
      {hasNoChange(preview) ? <p className={styles.line}>{NO_CHANGE}</p> : <Counts preview={preview} />}
      <ChangeList opened={opened} closed={closed} />
      {affectedHostCount > 0 && <AffectedHosts preview={preview} />}
    </>
  );
}

function OwnAccess({ lost }: { lost: AccessPreview["ownAccessLost"] }) {
  return (
    <div className={styles.lost}>
      <WarningIcon />
      <div>
        <h3>You would lose your own access</h3>
        {lost.map((one) => (
          <p key={one.host.id}>
            <LostAccess lost={one} />
          </p>
        ))}
      </div>
    </div>
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

const NAMES_MAX = 3;
const names = new Intl.ListFormat("en");

function AffectedHosts({ preview: { affectedHostCount, affectedHosts } }: { preview: AccessPreview }) {
  const shown = affectedHosts.slice(0, NAMES_MAX).map(({ name }) => name);
  const more = affectedHostCount - shown.length;
  return (
    <div className={styles.change}>
      <p>
        <b>{formatCount(affectedHostCount, "host")}</b> {affectedHostCount === 1 ? "gets" : "get"} a new
        configuration
      </p>
      {shown.length > 0 && (
        <p className={styles.reach}>
          {names.format([...shown, ...(more > 0 ? [`${formatNumber(more)} more`] : [])])}
        </p>
      )}
    </div>
  );
}
