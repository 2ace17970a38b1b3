import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";
import { CopyButton } from "./copy-button.tsx";
import styles from "./key-value.module.css";

export function KeyValueList({ children }: { children: ReactNode }) {
  return <dl className={styles.list}>{children}</dl>;
}

export interface KeyValueProps {
  label: string;
  children: ReactNode;
  mono?: boolean | undefined;
  /** What the copy button puts on the clipboard. */
  copy?: string | undefined;
}

export function KeyValue({ label, children, mono, copy }: KeyValueProps) {
  return (
    <div className={styles.pair}>
      <dt className={styles.label}>{label}</dt>
      <dd className={styles.value}>
        <span className={classNames(styles.text, mono && styles.mono)}>{children}</span>
        {copy !== undefined && <CopyButton what={label} value={copy} />}
      </dd>
    </div>
  );
}
