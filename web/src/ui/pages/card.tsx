import { useId, type ReactNode } from "react";
import { classNames } from "../base/class-names.ts";
import styles from "./card.module.css";

export interface CardProps {
  title?: ReactNode;
  /** Shown at the right of the title. */
  actions?: ReactNode;
  /** False for content with its own rows: key-values, lists, tables. */
  padded?: boolean | undefined;
  children: ReactNode;
}

export function Card({ title, actions, padded = true, children }: CardProps) {
  const id = useId();
  return (
    <section className={styles.card} aria-labelledby={title ? id : undefined}>
      {(title || actions) && (
        <header className={styles.header}>
          <h2 id={id} className={styles.title}>
            {title}
          </h2>
          {actions && <div className={styles.actions}>{actions}</div>}
        </header>
      )}
      <div className={classNames(padded && styles.padded)}>{children}</div>
    </section>
  );
}
