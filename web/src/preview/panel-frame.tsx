import { useId, type ReactNode } from "react";
import styles from "./preview.module.css";

interface PanelFrameProps {
  isBusy: boolean;
  /** Shown beside the title. */
  summary: ReactNode;
  /** Shown below the content. */
  note: ReactNode;
  children: ReactNode;
}

/** The panel with its title. */
export function PanelFrame({ isBusy, summary, note, children }: PanelFrameProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} aria-busy={isBusy} className={styles.panel}>
      <header className={styles.header}>
        <h2 id={id} className={styles.title}>
          Preview changes
        </h2>
        {summary && <span className={styles.summary}>{summary}</span>}
      </header>
      {children}
      {note && <p className={styles.note}>{note}</p>}
    </section>
  );
}
