import type { Dependent, Dependents as DetachPreview, FirewallRule, RuleOwner } from "@lightkeeper/contract";
import { sql } from "kysely";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";
import { areNamingRules, type Reference } from "../../nouns/firewall-rules/detached-rules.ts";

export interface Dependents<T extends Dependent = Dependent> {
  /** The first dependents by name. */
  first: T[];
  total: number;
}

type DependentHost = DetachPreview["hosts"][number];

export const SHOWN_MAX = 20;

const totalOf = (rows: { total: number }[]) => rows[0]?.total ?? 0;

type RuleOwnerRow = Pick<RuleOwner, "type" | "id" | "name"> & { rules: FirewallRule[] };

/** The other roles, tags and routes whose rules name the role or tag, by type and name. */
export async function findRuleOwners(
  db: Reader,
  organizationID: string,
  reference: Reference,
): Promise<RuleOwnerRow[]> {
  const roles = db.selectFrom("roles").select(["id", "name", "firewall_rules as rules"]);
  const tags = db.selectFrom("tags").select(["name as id", "name", "firewall_rules as rules"]);
  const routes = db.selectFrom("routes").select(["id", "name", "firewall_rules as rules"]);
  const isNaming = areNamingRules(reference);
  const [excludedRoleID, excludedTag] = "roleID" in reference ? [reference.roleID, ""] : ["", reference.tag];
  const found = {
    role: await roles
      .where("organization_id", "=", organizationID)
      .where(isNaming)
      .where("id", "!=", excludedRoleID)
      .orderBy((eb) => eb.fn("lower", ["name"]))
      .execute(),
    tag: await tags
      .where("organization_id", "=", organizationID)
      .where(isNaming)
      .where("name", "!=", excludedTag)
      .orderBy((eb) => eb.fn("lower", ["name"]))
      .execute(),
    route: await routes
      .where("organization_id", "=", organizationID)
      .where(isNaming)
      .orderBy((eb) => eb.fn("lower", ["name"]))
      .execute(),
  };
  return (["role", "tag", "route"] as const).flatMap((type) =>
    found[type].map((row): RuleOwnerRow => ({ type, ...row })),
  );
}

/** The routes whose router is one of the hosts. */
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
  return { first: rows.map(({ id, name }) => ({ type: "route", id, name })), total: totalOf(rows) };
}

export type HostReference = { roleID: string } | { tag: string } | { networkID: string };

export async function findHostsOf(
  db: Reader,
  organizationID: string,
  reference: HostReference,
): Promise<Dependents<DependentHost>> {
  const total = await countHostsOf(db, organizationID, reference);
  if (total === 0) return { first: [], total };
  const hosts = db
    .selectFrom("hosts")
    .select(["id", "name", "network_id", "is_lighthouse", "is_relay"])
    .where("organization_id", "=", organizationID)
    .orderBy("name_key")
    .limit(SHOWN_MAX);
  const rows = await (
    "roleID" in reference
      ? hosts.where("role_id", "=", reference.roleID)
      : "networkID" in reference
        ? hosts.where("network_id", "=", reference.networkID)
        : hosts.where("id", "in", (eb) =>
            eb
              .selectFrom("host_tags")
              .select("host_id")
              .where("organization_id", "=", organizationID)
              .where("tag", "=", reference.tag)
              .orderBy("name_key")
              .limit(SHOWN_MAX),
          )
  ).execute();
  const first = rows.map((row): DependentHost => {
    const type = row.is_lighthouse ? "lighthouse" : row.is_relay ? "relay" : "host";
    return { type, id: row.id, name: row.name, networkID: row.network_id };
  });
  return { first, total };
}

async function countHostsOf(db: Reader, organizationID: string, reference: HostReference): Promise<number> {
  let cells = db
    .selectFrom("host_counts")
    .select(({ fn }) => fn.sum<number | null>("count").as("count"))
    .where("organization_id", "=", organizationID)
    .where("tag", "=", "tag" in reference ? reference.tag : "");
  if ("roleID" in reference) cells = cells.where("role_id", "=", reference.roleID);
  if ("networkID" in reference) cells = cells.where("network_id", "=", reference.networkID);
  const { count } = await cells.executeTakeFirstOrThrow();
  return count ?? 0;
}
