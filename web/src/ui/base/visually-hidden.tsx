import type { ReactNode } from "react";
import styles from "./visually-hidden.module.css";

export function VisuallyHidden({ children }: { children: ReactNode }) {
  return <span className={styles.hidden}>{children}</span>;
}

/** Invisible text that screen readers announce when it changes. */
export function Announcement({ children }: { children: ReactNode }) {
  return <output className={styles.hidden}>{children}</output>;
}
