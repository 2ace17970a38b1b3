/** The rows of the access matrix: roles, groups of hosts, or hosts. */
import type { AccessMatrix as MatrixResponse } from "@lightkeeper/contract";
import type { AccessMatrix } from "@lightkeeper/nebula/access";
import type { LoadedNetwork } from "./loaded-network.ts";
import { compareNames, type HostGroup } from "./present.ts";

export interface MatrixRow extends HostGroup {
  /** The classes of the engine that the hosts belong to. */
  readonly members: readonly { readonly position: number; readonly hostCount: number }[];
}

type Detail = MatrixResponse["detail"];

export function buildRows(loaded: LoadedNetwork, given: AccessMatrix, detail: Detail): MatrixRow[] {
  const parts = given.classes.flatMap(({ roleID, tags, hosts }, position): MatrixRow[] => {
    const rowOf = (some: HostGroup["hosts"]) => ({
      roleID,
      tags: detail === "roles" ? [] : tags,
      hosts: some,
      members: [{ position, hostCount: some.length }],
    });
    return detail === "hosts" ? hosts.map((host) => rowOf([host])) : [rowOf(hosts)];
  });
  const rows = detail === "hosts" ? parts : joinRows(parts);
  return sortRows(loaded, rows);
}

/** Joins the rows with the same role and tags. */
function joinRows(parts: readonly MatrixRow[]): MatrixRow[] {
  const joined = new Map<string, MatrixRow[]>();
  for (const part of parts) {
    const key = JSON.stringify([part.roleID, part.tags]);
    joined.set(key, [...(joined.get(key) ?? []), part]);
  }
  return [...joined.values()].map((same) => ({
    ...same[0]!,
    hosts: same.flatMap(({ hosts }) => hosts),
    members: same.flatMap(({ members }) => members),
  }));
}

/** By the name of the role, with hosts without a role last, then by tags and by host. */
export function sortRows({ roleNames }: LoadedNetwork, rows: readonly MatrixRow[]): MatrixRow[] {
  const nameOf = ({ roleID }: MatrixRow) => (roleID === null ? undefined : (roleNames.get(roleID) ?? roleID));
  const compareRoles = (a: string | undefined, b: string | undefined) => {
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
    return a.localeCompare(b, "en", { numeric: true });
  };
  return rows.toSorted(
    (a, b) =>
      compareRoles(nameOf(a), nameOf(b)) ||
      a.tags.join("\n").localeCompare(b.tags.join("\n"), "en", { numeric: true }) ||
      compareNames(a.hosts[0]!, b.hosts[0]!),
  );
}
