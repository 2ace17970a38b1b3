import { useIsPhone } from "../ui/base/phone.ts";
import type { AccessPreviewProps } from "./access-preview-props.ts";
import { ConfirmLostAccess } from "./confirm-lost-access.tsx";
import { PreviewAnnouncement } from "./preview-announcement.tsx";
import { PreviewBar } from "./preview-bar.tsx";
import { PreviewPanel } from "./preview-panel.tsx";
import { mergeBroken, previewTitle } from "./preview-summary.ts";
import styles from "./preview.module.css";
import { usePreview } from "./use-preview.ts";

/** A default export, for `lazy()`. */
export default function ChangePreview(props: AccessPreviewProps) {
  const { guard, mutations, rules = [], summary, note, isInline = false } = props;
  const isPhone = useIsPhone();
  const { data, ...state } = usePreview(mutations);
  const preview = mergeBroken(data, guard.violatedBy(mutations));
  const panel = (
    <PreviewPanel
      {...state}
      noticeRef={guard.notice}
      preview={preview}
      rules={rules}
      summary={summary}
      note={note}
    />
  );
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
      {isBroken && !isInline && (
        <p className={styles.blocked}>This change breaks a guarantee and can’t be saved.</p>
      )}
      <PreviewAnnouncement key={JSON.stringify(preview)} text={previewTitle(preview)} />
      <ConfirmLostAccess guard={guard} />
    </>
  );
}
