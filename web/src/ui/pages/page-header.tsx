import type { ReactNode } from "react";
import styles from "./page-header.module.css";

export interface PageHeaderProps {
  title: ReactNode;
  /** The number of items; a string if it isn't exact ("10,000+"). */
  count?: number | string | undefined;
  /** One plain sentence. */
  lead?: ReactNode;
  breadcrumb?: ReactNode;
  /** Status and chips beside the title. */
  aside?: ReactNode;
  actions?: ReactNode;
}

/** The heading is focusable, so that a navigation can move the focus there. */
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
