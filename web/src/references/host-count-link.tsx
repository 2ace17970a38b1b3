import { Link } from "react-router";
import { formatCount, formatNumber } from "../lib/format.ts";
import styles from "./host-count-link.module.css";

/** A filter of the host list. */
export type HostListFilter = { roleID: string } | { tag: string };

/** The host list filtered by role or tag, including lighthouses and relays. */
export function hostsPath(filter: HostListFilter): string {
  const filters = Object.entries({ ...filter, kind: "any" });
  const query = filters.map(([name, value]): [string, string] => [`filter.${name}`, value]);
  return `/hosts?${new URLSearchParams(query)}`;
}

interface HostCountLinkProps {
  count: number;
  filter: HostListFilter;
}

/** The number of hosts, linked to the filtered host list. Zero is not a link. */
export function HostCountLink({ count, filter }: HostCountLinkProps) {
  if (count === 0) return "0";
  return (
    <Link to={hostsPath(filter)} className={styles.link} aria-label={formatCount(count, "host")}>
      {formatNumber(count)}
    </Link>
  );
}
