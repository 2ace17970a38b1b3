import type { ReactNode } from "react";
import styles from "./preview.module.css";

/** The border around the preview in a dialog. */
export function CompactFrame({ children }: { children: ReactNode }) {
  return (
    <section aria-label="Preview changes" className={styles.inline}>
      <div className={styles.panel}>{children}</div>
    </section>
  );
}
