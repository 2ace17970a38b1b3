import { useId } from "react";
import { classNames } from "../ui/base/class-names.ts";
import type { Usage } from "./billing-labels.ts";
import styles from "./billing.module.css";

/** How much of the host limit is used, as a bar and as text. */
export function UsageBar({ usage: { part, tone, label, hint } }: { usage: Usage }) {
  const id = useId();
  return (
    <div className={styles.usage}>
      <p id={id} className={styles.used}>
        <strong>{label}</strong> <span className={styles.muted}>{hint}</span>
      </p>
      <div
        role="meter"
        aria-labelledby={id}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(part * 100)}
        aria-valuetext={label}
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
