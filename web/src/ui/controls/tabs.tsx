import type { ReactNode } from "react";
import { NavLink } from "react-router";
import styles from "./tabs.module.css";

export interface Tab {
  label: ReactNode;
  to: string;
  /** Active only at this exact path. */
  end?: boolean | undefined;
}

/** The tabs of a page, each with its own URL. */
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
