import { downloadText } from "../lib/download.ts";
import { DownloadIcon } from "../ui/base/icons.tsx";
import { Button } from "../ui/controls/button.tsx";
import { CopyButton } from "../ui/controls/copy-button.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import styles from "./recovery-codes.module.css";

const FILE_NAME = "lightkeeper-recovery-codes.txt";

const fileOf = (codes: readonly string[]) =>
  `Lightkeeper recovery codes for ${window.location.host}\nEach code works once.\n\n${codes.join("\n")}\n`;

/** Shows new codes, which the server never returns again. */
export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  return (
    <div className={styles.secret}>
      <Notice tone="warn">Save these codes now. You won’t be able to see them again.</Notice>
      <div className={styles.block}>
        <ol className={styles.codes} aria-label="Recovery codes">
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ol>
        <CopyButton what="recovery codes" value={codes.join("\n")} />
      </div>
      <Button icon={<DownloadIcon />} onClick={() => downloadText(FILE_NAME, fileOf(codes))}>
        Download recovery codes
      </Button>
    </div>
  );
}
