import type { ReactNode } from "react";
import { classNames } from "../base/class-names.ts";
import { CheckIcon, InfoIcon, WarningIcon } from "../base/icons.tsx";
import styles from "./notice.module.css";

const icons = { info: InfoIcon, ok: CheckIcon, warn: WarningIcon, danger: WarningIcon };

export interface NoticeProps {
  tone: keyof typeof icons;
  children: ReactNode;
  /** Buttons, shown at the right. */
  actions?: ReactNode;
}

/** A message within the page. Dangers interrupt screen readers, other tones don't. */
export function Notice({ tone, children, actions }: NoticeProps) {
  const Icon = icons[tone];
  return (
    <div role={tone === "danger" ? "alert" : "status"} className={classNames(styles.notice, styles[tone])}>
      <Icon className={styles.icon} />
      <div className={styles.text}>{children}</div>
      {actions && <div className={styles.actions}>{actions}</div>}
    </div>
  );
}
