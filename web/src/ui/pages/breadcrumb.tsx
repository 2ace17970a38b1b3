import { Link } from "react-router";
import styles from "./breadcrumb.module.css";

export interface Crumb {
  label: string;
  to: string;
}

/** The way down to this page, from the list on; the page itself is its heading. */
export function Breadcrumb({ crumbs }: { crumbs: readonly Crumb[] }) {
  return (
    <nav aria-label="Breadcrumb" className={styles.crumbs}>
      {crumbs.map(({ label, to }) => (
        <Link key={to} to={to} dir="auto" title={label}>
          {label}
        </Link>
      ))}
    </nav>
  );
}
