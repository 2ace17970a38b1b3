import { ValidationError, type Dependent } from "@lightkeeper/contract";
import type { ReactNode } from "react";
import { Link } from "react-router";
import styles from "./dependents.module.css";
import { messageOf } from "../lib/errors.ts";
import { formatNumber } from "../lib/format.ts";

const paths: Record<Dependent["type"], string> = {
  host: "/hosts",
  lighthouse: "/lighthouses",
  relay: "/relays",
  role: "/roles",
  tag: "/tags",
  route: "/routes",
  network: "/settings/networks",
};

export function DependentLink({
  dependent: { type, id, name },
}: {
  dependent: Pick<Dependent, "type" | "id" | "name">;
}) {
  return (
    <Link to={`${paths[type]}/${encodeURIComponent(id)}`} className={styles.link} dir="auto">
      {name}
    </Link>
  );
}

/** Why a deletion failed, with links to the dependents that prevent it. */
export function rejectionOf(error: Error | null): ReactNode {
  if (!error) return undefined;
  const extra =
    error instanceof ValidationError
      ? error.fieldErrors.find((entry) => entry.extra?.dependents)?.extra
      : undefined;
  const { dependents = [], total = dependents.length } = extra ?? {};
  if (dependents.length === 0) return messageOf(error);
  return (
    <>
      {messageOf(error)}
      <ul className={styles.dependents}>
        {dependents.map(({ type, id, name }) => (
          <li key={`${type} ${id}`}>
            {type} <DependentLink dependent={{ type, id, name }} />
          </li>
        ))}
        {total > dependents.length && <li>and {formatNumber(total - dependents.length)} more</li>}
      </ul>
    </>
  );
}
