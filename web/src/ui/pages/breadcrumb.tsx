import { Link } from "react-router";
import styles from "./breadcrumb.module.css";

export interface Crumb {
  label: string;
  to: string;
}

/** The parents of this page, starting with the list. The page itself is the heading. */
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
