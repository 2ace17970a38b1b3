import type { ReactNode } from "react";
import styles from "./name-cell.module.css";

interface NameCellProps {
  /** A link, on the first line. */
  children: ReactNode;
  /** Muted, on the second line. */
  description?: string | undefined;
}

/** The first cell of a row. */
export function NameCell({ children, description }: NameCellProps) {
  return (
    <div className={styles.name}>
      {children}
      {description && (
        <span className={styles.description} dir="auto" title={description}>
          {description}
        </span>
      )}
    </div>
  );
}
