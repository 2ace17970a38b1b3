import { useId, type ReactNode } from "react";
import styles from "./settings.module.css";

interface SettingsSectionProps {
  title: string;
  /** The number of items. */
  count?: number | string | undefined;
  lead: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** One of several lists on a page. */
export function SettingsSection({ title, count, lead, actions, children }: SettingsSectionProps) {
  const id = useId();
  return (
    <section className={styles.section} aria-labelledby={id}>
      <header className={styles.header}>
        <div className={styles.text}>
          <h2 id={id} className={styles.title}>
            {title}
            {count !== undefined && <span className={styles.count}> · {count}</span>}
          </h2>
          <p className={styles.lead}>{lead}</p>
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </section>
  );
}
