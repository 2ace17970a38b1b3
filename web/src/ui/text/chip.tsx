import type { ReactNode } from "react";
import styles from "./chip.module.css";
import { classNames } from "../base/class-names.ts";
import { CloseIcon } from "../base/icons.tsx";

interface ChipLook {
  children: ReactNode;
  /** Accent is for what the person has turned on, such as a filter. */
  tone?: "neutral" | "accent" | undefined;
}

export type ChipProps = ChipLook &
  (
    | { onRemove?: never; removeLabel?: never }
    | {
        onRemove: () => void;
        /** The remove button's accessible name: "Remove filter Network: Production". */
        removeLabel: string;
      }
  );

export function Chip({ children, tone = "neutral", onRemove, removeLabel }: ChipProps) {
  return (
    <span className={classNames(styles.chip, styles[tone], onRemove && styles.removable)}>
      <span className={styles.text}>{children}</span>
      {onRemove && (
        <button type="button" aria-label={removeLabel} className={styles.remove} onClick={onRemove}>
          <CloseIcon width={12} height={12} />
        </button>
      )}
    </span>
  );
}
