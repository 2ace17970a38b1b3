import { Link } from "react-router";
import styles from "./name-link.module.css";

interface NameLinkProps {
  to: string;
  /** A name that people chose, in any script and of any length. */
  children: string;
}

/** A link to an object, with its name. */
export function NameLink({ to, children }: NameLinkProps) {
  return (
    <Link to={to} className={styles.link} dir="auto" title={children}>
      {children}
    </Link>
  );
}
