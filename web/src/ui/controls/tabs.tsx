import { NavLink } from "react-router";
import styles from "./tabs.module.css";

export interface Tab {
  label: string;
  to: string;
  /** The address itself, not what lies below it. */
  end?: boolean | undefined;
}

/** The parts of one thing, each with an address of its own. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <nav aria-label={label} className={styles.tabs}>
      {tabs.map(({ label: name, to, end = false }) => (
        <NavLink key={to} to={to} end={end} preventScrollReset className={styles.tab}>
          {name}
        </NavLink>
      ))}
    </nav>
  );
}
