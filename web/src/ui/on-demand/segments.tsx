import { Link } from "react-router";
import styles from "./segments.module.css";

interface Segment {
  label: string;
  to: string;
  isCurrent: boolean;
}

/** A choice between views, each with its own URL. */
export function Segments({ label, segments }: { label: string; segments: readonly Segment[] }) {
  return (
    <nav aria-label={label} className={styles.segments}>
      {segments.map(({ label: name, to, isCurrent }) => (
        <Link
          key={name}
          to={to}
          preventScrollReset
          aria-current={isCurrent ? "page" : undefined}
          className={styles.segment}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}
