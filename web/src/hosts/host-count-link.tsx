import { Link } from "react-router";
import { formatCount, formatNumber } from "../lib/format.ts";
import styles from "./host-count.module.css";

/** What hosts have in common, as the list of hosts is filtered by it. */
export type SharedFilter = { roleID: string } | { tag: string };

/** Lighthouses and relays too. */
export function hostsPath(filter: SharedFilter): string {
  const wanted = Object.entries({ ...filter, kind: "any" });
  const query = wanted.map(([name, value]): [string, string] => [`filter.${name}`, value]);
  return `/hosts?${new URLSearchParams(query)}`;
}

interface HostCountLinkProps {
  count: number;
  filter: SharedFilter;
}

/** How many hosts there are, lighthouses and relays too, leading to all of them; nothing leads to none. */
export function HostCountLink({ count, filter }: HostCountLinkProps) {
  if (count === 0) return "0";
  return (
    <Link to={hostsPath(filter)} className={styles.link} aria-label={formatCount(count, "host")}>
      {formatNumber(count)}
    </Link>
  );
}
