import { useId } from "react";
import { classNames } from "../ui/base/class-names.ts";
import type { Usage } from "./billing-words.ts";
import styles from "./billing.module.css";

/** How full the plan is: a bar, and the same in words. */
export function UsageBar({ usage: { part, tone, words, rest } }: { usage: Usage }) {
  const id = useId();
  return (
    <div className={styles.usage}>
      <p id={id} className={styles.used}>
        <strong>{words}</strong> <span className={styles.muted}>{rest}</span>
      </p>
      <div
        role="meter"
        aria-labelledby={id}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(part * 100)}
        aria-valuetext={words}
        className={styles.bar}
      >
        <svg viewBox="0 0 100 8" preserveAspectRatio="none" width="100%" height={8} aria-hidden="true">
          <rect
            className={classNames(styles.fill, styles[tone])}
            width={Math.max(part * 100, 0)}
            height={8}
          />
        </svg>
      </div>
    </div>
  );
}
