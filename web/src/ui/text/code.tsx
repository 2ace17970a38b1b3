import { classNames } from "../base/class-names.ts";
import styles from "./code.module.css";
import { CopyButton } from "../controls/copy-button.tsx";

export interface CodeProps {
  children: string;
  /** Adds a copy button, named "Copy {copy}". */
  copy?: string | undefined;
}

/** An exact string in a line of text: an ID, an address, a fingerprint. */
export function Code({ children, copy }: CodeProps) {
  const code = <code className={styles.code}>{children}</code>;
  if (copy === undefined) return code;
  return (
    <span className={styles.copyable}>
      {code}
      <CopyButton key={children} what={copy} value={children} />
    </span>
  );
}

export interface CodeBlockProps extends CodeProps {
  /** The accessible name of a block that scrolls. */
  label: string;
  /** Long lines wrap instead of scrolling: for commands and keys. */
  wrap?: boolean | undefined;
}

export function CodeBlock({ children, label, copy, wrap }: CodeBlockProps) {
  return (
    <div className={styles.block}>
      <pre {...(!wrap && scrollable(label))} className={classNames(styles.pre, wrap && styles.wrap)}>
        <code>{children}</code>
      </pre>
      {copy !== undefined && (
        <div className={styles.corner}>
          <CopyButton what={copy} value={children} />
        </div>
      )}
    </div>
  );
}

function scrollable(label: string) {
  return { tabIndex: 0, role: "region", "aria-label": label };
}
