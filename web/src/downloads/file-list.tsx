import { CopyButton } from "../ui/controls/copy-button.tsx";
import { DownloadIcon } from "../ui/base/icons.tsx";
import type { AgentFile } from "./agent-files.ts";
import styles from "./downloads.module.css";

/** Each file with its platform and checksum. */
export function FileList({ files }: { files: readonly AgentFile[] }) {
  return (
    <ul>
      {files.map(({ platform, label, url, name, sha256 }) => (
        <li key={platform} className={styles.file}>
          <span className={styles.platform}>{label}</span>
          <a href={url} download className={styles.download}>
            <DownloadIcon />
            {name}
          </a>
          {sha256 && (
            <span className={styles.digest}>
              <span>SHA-256</span>
              <code className={styles.hash}>{sha256}</code>
              <CopyButton what={`SHA-256 of ${name}`} value={sha256} />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
