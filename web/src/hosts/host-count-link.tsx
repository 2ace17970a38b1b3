import { Link } from "react-router";
import { formatCount, formatNumber } from "../lib/format.ts";
import styles from "./host-count.module.css";

interface HostCountLinkProps {
  count: number;
  /** What they have in common, as the list of hosts is filtered by it. */
  filter: { roleID: string } | { tag: string };
}

/** How many hosts there are, lighthouses and relays too, leading to all of them; nothing leads to none. */
export function HostCountLink({ count, filter }: HostCountLinkProps) {
  if (count === 0) return "0";
  const wanted = Object.entries({ ...filter, kind: "any" });
  const query = wanted.map(([name, value]): [string, string] => [`filter.${name}`, value]);
  return (
    <Link
      to={`/hosts?${new URLSearchParams(query)}`}
      className={styles.link}
      aria-label={formatCount(count, "host")}
    >
      {formatNumber(count)}
    </Link>
  );
}
