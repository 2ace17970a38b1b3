import type { Dependent } from "@lightkeeper/contract";
import { sql } from "kysely";
import type { Writer } from "../db/client.ts";

export interface Dependents {
  /** The first of them, by name. */
  first: Dependent[];
  total: number;
}

export const NOTHING: Dependents = { first: [], total: 0 };
export const SHOWN_MAX = 20;

const counted = (rows: { total: number }[]) => rows[0]?.total ?? 0;

/** The roles, tags and routes that name it in a rule. Its own rules do not stand in its way. */
export async function findNamedBy(
  tx: Writer,
  organizationID: string,
  named: { roleID: string } | { tag: string },
): Promise<Dependents> {
  const pattern = "roleID" in named ? { allowedRoleID: named.roleID } : { allowedTags: [named.tag] };
  const naming = <Table extends "roles" | "tags" | "routes">(table: Table) =>
    sql`from ${sql.table(table)} where organization_id = ${organizationID}
      and firewall_rules @> ${JSON.stringify([pattern])}::jsonb`;
  const [ownRole, ownTag] = "roleID" in named ? [named.roleID, ""] : ["", named.tag];
  const { rows } = await sql<Omit<Dependent, "networkID"> & { total: number }>`
    select type, id, name, (count(*) over ())::integer as total from (
      select 1 as place, 'role' as type, id, name ${naming("roles")} and id <> ${ownRole}
      union all select 2, 'tag', name, name ${naming("tags")} and name <> ${ownTag}
      union all select 3, 'route', id, name ${naming("routes")}
    ) named order by place, lower(name) limit ${SHOWN_MAX}`.execute(tx);
  return { first: rows.map(({ type, id, name }) => ({ type, id, name })), total: counted(rows) };
}

/** The routes that lead through one of the hosts. */
export async function findRoutesThrough(
  tx: Writer,
  organizationID: string,
  hostIDs: readonly string[],
): Promise<Dependents> {
  const rows = await tx
    .selectFrom("routes")
    .select(["id", "name", sql<number>`(count(*) over ())::integer`.as("total")])
    .where("organization_id", "=", organizationID)
    .where("router_host_id", "in", hostIDs)
    .orderBy((eb) => eb.fn("lower", ["name"]))
    .limit(SHOWN_MAX)
    .execute();
  return { first: rows.map(({ id, name }) => ({ type: "route", id, name })), total: counted(rows) };
}

export type HostsOf = { roleID: string } | { tag: string } | { networkID: string };

export async function findHostsOf(tx: Writer, organizationID: string, of: HostsOf): Promise<Dependents> {
  const total = await countHostsOf(tx, organizationID, of);
  if (total === 0) return NOTHING;
  const hosts = tx
    .selectFrom("hosts")
    .select(["id", "name", "network_id", "is_lighthouse", "is_relay"])
    .where("organization_id", "=", organizationID)
    .orderBy("name_key")
    .limit(SHOWN_MAX);
  const rows = await (
    "roleID" in of
      ? hosts.where("role_id", "=", of.roleID)
      : "networkID" in of
        ? hosts.where("network_id", "=", of.networkID)
        : hosts.where("id", "in", (eb) =>
            eb
              .selectFrom("host_tags")
              .select("host_id")
              .where("organization_id", "=", organizationID)
              .where("tag", "=", of.tag)
              .orderBy("name_key")
              .limit(SHOWN_MAX),
          )
  ).execute();
  const first = rows.map((row): Dependent => {
    const type = row.is_lighthouse ? "lighthouse" : row.is_relay ? "relay" : "host";
    return { type, id: row.id, name: row.name, networkID: row.network_id };
  });
  return { first, total };
}

async function countHostsOf(tx: Writer, organizationID: string, of: HostsOf): Promise<number> {
  let cells = tx
    .selectFrom("host_counts")
    .select(({ fn }) => fn.sum<number | null>("count").as("count"))
    .where("organization_id", "=", organizationID)
    .where("tag", "=", "tag" in of ? of.tag : "");
  if ("roleID" in of) cells = cells.where("role_id", "=", of.roleID);
  if ("networkID" in of) cells = cells.where("network_id", "=", of.networkID);
  const { count } = await cells.executeTakeFirstOrThrow();
  return count ?? 0;
}
