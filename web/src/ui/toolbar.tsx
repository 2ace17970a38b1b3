import type { ReactNode } from "react";
import styles from "./toolbar.module.css";

export interface ToolbarProps {
  /** Search and filters. */
  children: ReactNode;
  /** At the right: how the list is looked at. */
  end?: ReactNode;
}

/** The one row above a list. */
export function Toolbar({ children, end }: ToolbarProps) {
  return (
    <div className={styles.toolbar}>
      {children}
      {end && <div className={styles.end}>{end}</div>}
    </div>
  );
}
