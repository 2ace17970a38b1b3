import { classNames } from "../base/class-names.ts";
import styles from "./diff.module.css";
import { VisuallyHidden } from "../base/visually-hidden.tsx";

export interface DiffProps {
  /** The accessible name, for scrolling by keyboard. */
  label: string;
  lines: readonly {
    place: number;
    /** Undefined for a gap of unchanged lines. */
    line: { kind: "same" | "added" | "removed"; text: string } | undefined;
  }[];
}

const marks = { same: " ", added: "+", removed: "−" };
const labels = { same: "", added: "Added: ", removed: "Removed: " };

const scrollable = { role: "region", tabIndex: 0 };

export function Diff({ label, lines }: DiffProps) {
  return (
    <pre {...scrollable} aria-label={label} className={styles.diff}>
      {lines.map(({ line, place }) =>
        line ? (
          <span key={place} className={classNames(styles.line, styles[line.kind])}>
            <span aria-hidden="true" className={styles.mark}>
              {marks[line.kind]}
            </span>
            {labels[line.kind] && <VisuallyHidden>{labels[line.kind]}</VisuallyHidden>}
            {line.text}
            {"\n"}
          </span>
        ) : (
          <span key={place} className={classNames(styles.line, styles.gap)}>
            ⋯{"\n"}
          </span>
        ),
      )}
    </pre>
  );
}
