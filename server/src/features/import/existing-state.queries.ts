import { isIpv6Text } from "@lightkeeper/nebula";
import { type Selectable, sql } from "kysely";
import type { Reader } from "../../infrastructure/db/client.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";

/** Lets the database compute the keys: its lower() can differ from JavaScript's. */
export async function findKeys(db: Reader, names: readonly string[]): Promise<Map<string, string>> {
  const requested = sql<{ name: string }>`unnest(${names}::text[])`.as<"requested">(sql`requested (name)`);
  const rows = await db
    .selectFrom(requested)
    .select(["requested.name", sql<string>`lower(requested.name)`.as("key")])
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

const NETWORK_COLUMNS = ["cidr", "ipv6_cidr", "cert_version", "host_count"] as const;
export type ExistingNetwork = NamedRow &
  Pick<Selectable<Tables["networks"]>, (typeof NETWORK_COLUMNS)[number]>;

export function findNetworks(
  db: Reader,
  organizationID: string,
  { ids, keys }: { ids: readonly string[]; keys: readonly string[] },
): Promise<ExistingNetwork[]> {
  return db
    .selectFrom("networks")
    .select(["id", "name", sql<string>`lower(name)`.as("key"), ...NETWORK_COLUMNS])
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
  "hosts.ipv6_address",
  "hosts.static_addresses",
  "hosts.listen_port",
  "hosts.is_lighthouse",
  "hosts.is_relay",
  "hosts.tags",
  "hosts.config_overrides",
  "hosts.description",
  "hosts.owner",
] as const;

/** A network with the key of a host name, or with an address. */
export interface HostPlace {
  networkID: string;
  value: string;
}

export async function findHosts(db: Reader, organizationID: string, places: readonly HostPlace[]) {
  const networks = places.map(({ networkID }) => networkID);
  const keys = places.map(({ value }) => value);
  const requested = sql<{ network_id: string; name_key: string }>`
    unnest(${networks}::text[], ${keys}::text[])`.as<"requested">(sql`requested (network_id, name_key)`);
  return db
    .selectFrom(requested)
    .innerJoin("hosts", (join) =>
      join
        .onRef("hosts.network_id", "=", "requested.network_id")
        .onRef("hosts.name_key", "=", "requested.name_key"),
    )
    .select(HOST_COLUMNS)
    .where("hosts.organization_id", "=", organizationID)
    .orderBy("hosts.id")
    .execute();
}
export type ExistingHost = Awaited<ReturnType<typeof findHosts>>[number];

/** Returns the places whose address is taken. */
export async function findTakenAddresses(
  db: Reader,
  organizationID: string,
  places: readonly HostPlace[],
): Promise<HostPlace[]> {
  const isIpv6 = ({ value }: HostPlace) => isIpv6Text(value);
  return [
    ...(await findTakenIn(
      db,
      organizationID,
      "ip_address",
      places.filter((place) => !isIpv6(place)),
    )),
    ...(await findTakenIn(db, organizationID, "ipv6_address", places.filter(isIpv6))),
  ];
}

async function findTakenIn(
  db: Reader,
  organizationID: string,
  column: "ip_address" | "ipv6_address",
  places: readonly HostPlace[],
): Promise<HostPlace[]> {
  const networks = places.map(({ networkID }) => networkID);
  const addresses = places.map(({ value }) => value);
  const requested = sql<{ network_id: string; address: string }>`
    unnest(${networks}::text[], ${addresses}::inet[])`.as<"requested">(sql`requested (network_id, address)`);
  return db
    .selectFrom(requested)
    .innerJoin("hosts", (join) =>
      join
        .onRef("hosts.network_id", "=", "requested.network_id")
        .onRef(`hosts.${column}`, "=", "requested.address"),
    )
    .select(["hosts.network_id as networkID", "requested.address as value"])
    .where("hosts.organization_id", "=", organizationID)
    .execute();
}

/** How many more hosts the organization can create. */
export async function findHostQuota(db: Reader, organizationID: string, limit: number): Promise<number> {
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
