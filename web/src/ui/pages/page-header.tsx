import type { ReactNode } from "react";
import styles from "./page-header.module.css";

export interface PageHeaderProps {
  title: ReactNode;
  /** How many there are; a string for what is not exact ("10,000+"). */
  count?: number | string | undefined;
  /** One plain sentence. */
  lead?: ReactNode;
  breadcrumb?: ReactNode;
  /** Status and chips beside the title. */
  aside?: ReactNode;
  actions?: ReactNode;
}

/** The heading takes focus by script, so that a navigation can move it there. */
export function PageHeader({ title, count, lead, breadcrumb, aside, actions }: PageHeaderProps) {
  return (
    <header className={styles.header}>
      {breadcrumb && <div className={styles.breadcrumb}>{breadcrumb}</div>}
      <div className={styles.row}>
        <div className={styles.heading}>
          <h1 tabIndex={-1} className={styles.title}>
            {title}
            {count !== undefined && (
              <span className={styles.count}>
                {" "}
                · {typeof count === "number" ? count.toLocaleString("en") : count}
              </span>
            )}
          </h1>
          {aside}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
        {lead && <p className={styles.lead}>{lead}</p>}
      </div>
    </header>
  );
}
