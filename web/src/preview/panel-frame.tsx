import { useId, type ReactNode } from "react";
import styles from "./preview.module.css";

interface PanelFrameProps {
  isBusy: boolean;
  /** Shown below the content. */
  note: ReactNode;
  children: ReactNode;
}

/** The panel with its title. */
export function PanelFrame({ isBusy, note, children }: PanelFrameProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} aria-busy={isBusy} className={styles.panel}>
      <h2 id={id} className={styles.title}>
        Preview changes
      </h2>
      {children}
      {note && <p className={styles.note}>{note}</p>}
    </section>
  );
}
