import type { ReactNode } from "react";
import { classNames } from "../base/class-names.ts";
import { CopyButton } from "../controls/copy-button.tsx";
import styles from "./key-value.module.css";
import { Time } from "./time.tsx";

export function KeyValueList({ children }: { children: ReactNode }) {
  return <dl className={styles.list}>{children}</dl>;
}

interface KeyValueBase {
  label: string;
  children: ReactNode;
}

/** Only exact strings can be copied: IDs, addresses, keys, fingerprints. They are shown in mono. */
export type KeyValueProps = KeyValueBase &
  (
    | {
        mono: true;
        /** The text that the copy button copies. */
        copy?: string | undefined;
      }
    | { mono?: boolean | undefined; copy?: never }
  );

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

/** A text that can be copied, such as an ID. */
export function CopyableKeyValue({ label, value }: { label: string; value: string }) {
  return (
    <KeyValue label={label} mono copy={value}>
      {value}
    </KeyValue>
  );
}

export function TimeKeyValue({ label, at }: { label: string; at: string }) {
  return (
    <KeyValue label={label}>
      <Time at={at} absolute />
    </KeyValue>
  );
}
