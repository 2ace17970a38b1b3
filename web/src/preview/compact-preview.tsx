import type { AccessPreview } from "@lightkeeper/contract";
import { lazy, Suspense, useEffect, useState, type ReactNode, type RefObject } from "react";
import { ChevronRightIcon } from "../ui/base/icons.tsx";
import { AffectedHosts } from "./affected-hosts.tsx";
import { BrokenGuarantees } from "./broken-guarantees.tsx";
import { CompactFrame } from "./compact-frame.tsx";
import { OwnAccess } from "./own-access.tsx";
import { PreviewAnnouncement } from "./preview-announcement.tsx";
import { changesTitle, previewTitle } from "./preview-summary.ts";
import styles from "./preview.module.css";

const ChangeList = lazy(async () => ({ default: (await import("./changes-preview.tsx")).ChangeList }));

interface CompactPreviewProps {
  /** Gets the focus when the change is prevented. */
  noticeRef: RefObject<HTMLDivElement | null>;
  preview: AccessPreview | undefined;
  /** Shown instead of a preview: the reason why there is none, or that it is loading. */
  status: ReactNode;
  /** The error of a call that breaks a guarantee. */
  violation: Error | undefined;
}

/** The preview in one line, with the details on demand. The default export is for `lazy()`. */
export default function CompactPreview({ noticeRef, preview, status, violation }: CompactPreviewProps) {
  useEffect(() => {
    if (violation) noticeRef.current?.focus();
  }, [violation, noticeRef]);
  return (
    <>
      <CompactFrame>
        {preview ? (
          <Changes preview={preview} noticeRef={noticeRef} />
        ) : (
          <div className={styles.line}>{status}</div>
        )}
      </CompactFrame>
      <PreviewAnnouncement key={JSON.stringify(preview)} text={previewTitle(preview)} />
    </>
  );
}

type ChangesProps = Pick<CompactPreviewProps, "noticeRef"> & { preview: AccessPreview };

function Changes({ preview, noticeRef }: ChangesProps) {
  const { opened, closed, affectedHostCount, ownAccessLost, brokenGuarantees } = preview;
  const hasDetails = opened.length + closed.length + affectedHostCount > 0;
  return (
    <>
      {ownAccessLost.length > 0 && <OwnAccess lost={ownAccessLost} />}
      {brokenGuarantees.length > 0 && <BrokenGuarantees ref={noticeRef} guarantees={brokenGuarantees} />}
      {hasDetails ? <Details preview={preview} /> : <p className={styles.line}>{changesTitle(preview)}</p>}
    </>
  );
}

function Details({ preview }: { preview: AccessPreview }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className={styles.details} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        <ChevronRightIcon />
        {changesTitle(preview)}
      </summary>
      {isOpen && (
        <Suspense>
          <ChangeList opened={preview.opened} closed={preview.closed} />
        </Suspense>
      )}
      <AffectedHosts preview={preview} />
    </details>
  );
}
