import type { ReactNode } from "react";
import styles from "./action-bar.module.css";
import { Announcement } from "./visually-hidden.tsx";

export interface ActionBarProps {
  /** How much is selected: "2 selected". */
  summary: string;
  /** What can be done with it. */
  children: ReactNode;
}

/** What can be done with the selected rows, at the bottom of the window for as long as there are any. */
export function ActionBar({ summary, children }: ActionBarProps) {
  return (
    <div role="toolbar" aria-label="Selected rows" className={styles.bar}>
      <strong className={styles.summary}>{summary}</strong>
      <Announcement>{summary}</Announcement>
      {children}
    </div>
  );
}
