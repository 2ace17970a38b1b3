import { type Selectable, sql } from "kysely";
import type { Reader } from "../../infrastructure/db/client.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";

/** As the database compares names: what it takes for upper case need not be what JavaScript does. */
export async function findKeys(db: Reader, names: readonly string[]): Promise<Map<string, string>> {
  const wanted = sql<{ name: string }>`unnest(${names}::text[])`.as<"wanted">(sql`wanted (name)`);
  const rows = await db
    .selectFrom(wanted)
    .select(["wanted.name", sql<string>`lower(wanted.name)`.as("key")])
    .execute();
  return new Map(rows.map(({ name, key }) => [name, key]));
}

type TagRow = Pick<
  Selectable<Tables["tags"]>,
  "name" | "description" | "config_overrides" | "firewall_rules"
>;
export type ExistingTag = TagRow & { route_subscriptions: string[] };

export async function findTags(
  db: Reader,
  organizationID: string,
  names: readonly string[],
): Promise<ExistingTag[]> {
  const rows = await db
    .selectFrom("tags")
    .select(["name", "description", "config_overrides", "firewall_rules"])
    .where("organization_id", "=", organizationID)
    .where(sql<boolean>`name = any(${names}::text[])`)
    .orderBy("name")
    .execute();
  const subscriptions = await db
    .selectFrom("route_subscriptions")
    .select(["tag", sql<string[]>`array_agg(route_id order by route_id)`.as("routes")])
    .where("organization_id", "=", organizationID)
    .where(sql<boolean>`tag = any(${names}::text[])`)
    .groupBy("tag")
    .execute();
  const routesOf = new Map(subscriptions.map(({ tag, routes }) => [tag, routes]));
  return rows.map((row) => ({ ...row, route_subscriptions: routesOf.get(row.name) ?? [] }));
}

/** By id, or by the key of the name. */
export interface NamedRow {
  id: string;
  name: string;
  key: string;
}

export type ExistingRole = NamedRow & Pick<Selectable<Tables["roles"]>, "description" | "firewall_rules">;

export function findRoles(
  db: Reader,
  organizationID: string,
  { ids, keys }: { ids: readonly string[]; keys: readonly string[] },
): Promise<ExistingRole[]> {
  return db
    .selectFrom("roles")
    .select(["id", "name", sql<string>`lower(name)`.as("key"), "description", "firewall_rules"])
    .where("organization_id", "=", organizationID)
    .where(sql<boolean>`(id = any(${ids}::text[]) or lower(name) = any(${keys}::text[]))`)
    .orderBy("id")
    .execute();
}

export type ExistingNetwork = NamedRow & Pick<Selectable<Tables["networks"]>, "cidr" | "host_count">;

export function findNetworks(
  db: Reader,
  organizationID: string,
  { ids, keys }: { ids: readonly string[]; keys: readonly string[] },
): Promise<ExistingNetwork[]> {
  return db
    .selectFrom("networks")
    .select(["id", "name", sql<string>`lower(name)`.as("key"), "cidr", "host_count"])
    .where("organization_id", "=", organizationID)
    .where(sql<boolean>`(id = any(${ids}::text[]) or lower(name) = any(${keys}::text[]))`)
    .orderBy("id")
    .execute();
}

const HOST_COLUMNS = [
  "hosts.id",
  "hosts.network_id",
  "hosts.name_key",
  "hosts.role_id",
  "hosts.ip_address",
  "hosts.static_addresses",
  "hosts.listen_port",
  "hosts.is_lighthouse",
  "hosts.is_relay",
  "hosts.tags",
  "hosts.config_overrides",
] as const;

/** The place of a host among all: its network and the key of its name, or its address. */
export interface HostPlace {
  networkID: string;
  value: string;
}

export async function findHosts(db: Reader, organizationID: string, places: readonly HostPlace[]) {
  const networks = places.map(({ networkID }) => networkID);
  const keys = places.map(({ value }) => value);
  const wanted = sql<{ network_id: string; name_key: string }>`
    unnest(${networks}::text[], ${keys}::text[])`.as<"wanted">(sql`wanted (network_id, name_key)`);
  return db
    .selectFrom(wanted)
    .innerJoin("hosts", (join) =>
      join
        .onRef("hosts.network_id", "=", "wanted.network_id")
        .onRef("hosts.name_key", "=", "wanted.name_key"),
    )
    .select(HOST_COLUMNS)
    .where("hosts.organization_id", "=", organizationID)
    .orderBy("hosts.id")
    .execute();
}
export type ExistingHost = Awaited<ReturnType<typeof findHosts>>[number];

/** Those of the places that a host has. */
export async function findTakenAddresses(
  db: Reader,
  organizationID: string,
  places: readonly HostPlace[],
): Promise<HostPlace[]> {
  const networks = places.map(({ networkID }) => networkID);
  const addresses = places.map(({ value }) => value);
  const wanted = sql<{ network_id: string; ip_address: string }>`
    unnest(${networks}::text[], ${addresses}::inet[])`.as<"wanted">(sql`wanted (network_id, ip_address)`);
  const rows = await db
    .selectFrom(wanted)
    .innerJoin("hosts", (join) =>
      join
        .onRef("hosts.network_id", "=", "wanted.network_id")
        .onRef("hosts.ip_address", "=", "wanted.ip_address"),
    )
    .select(["hosts.network_id", "hosts.ip_address"])
    .where("hosts.organization_id", "=", organizationID)
    .execute();
  return rows.map((row) => ({ networkID: row.network_id, value: row.ip_address }));
}

/** How many hosts the organization may still make. */
export async function findRoom(db: Reader, organizationID: string, limit: number): Promise<number> {
  const { plan, count } = await db
    .selectFrom("organizations")
    .select((eb) => [
      "plan",
      eb
        .selectFrom("host_counts")
        .select(({ fn }) => fn.sum<number>("count").as("sum"))
        .whereRef("host_counts.organization_id", "=", "organizations.id")
        .where("tag", "=", "")
        .as("count"),
    ])
    .where("id", "=", organizationID)
    .executeTakeFirstOrThrow();
  return plan === "free" ? Math.max(0, limit - (count ?? 0)) : Infinity;
}
