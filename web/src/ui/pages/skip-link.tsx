import type { MouseEvent } from "react";
import styles from "./skip-link.module.css";

/** The target needs `tabIndex={-1}`. The focus moves without changing the URL. */
export function SkipLink({ targetID }: { targetID: string }) {
  function focusTarget(event: MouseEvent) {
    const target = document.getElementById(targetID);
    if (!target) return;
    event.preventDefault();
    target.focus();
  }
  return (
    <a className={styles.link} href={`#${targetID}`} onClick={focusTarget}>
      Go to main content
    </a>
  );
}
