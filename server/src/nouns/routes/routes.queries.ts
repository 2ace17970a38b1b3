import type { FirewallRule, Route } from "@lightkeeper/contract";
import { type Selectable, sql } from "kysely";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";
import { countRows, oldestFirst, type Page, page, type PageRequest } from "../../infrastructure/db/pages.ts";
import { containing } from "../../infrastructure/db/search.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";

export type RouteRow = Selectable<Tables["routes"]>;

const LISTED = [
  "id",
  "name",
  "description",
  "router_host_id",
  "routable_cidrs",
  "accept_wider_rules",
  "created_at",
  "modified_at",
] as const;
export type ListedRoute = Pick<RouteRow, (typeof LISTED)[number]> & { firewall_rules_count: number };

export interface RouterRules {
  hostID: string;
  roleID: string | null;
  tags: readonly string[];
  exceptRouteID: string;
}

export interface RuleSources {
  roleRules: FirewallRule[];
  tags: { name: string; firewallRules: FirewallRule[] }[];
  routesServed: Pick<Route, "id" | "routableCIDRs" | "firewallRules">[];
}

const ofOrganization = (db: Reader, organizationID: string) =>
  db.selectFrom("routes").where("organization_id", "=", organizationID);

export function listRoutes(
  db: Reader,
  organizationID: string,
  search: string | undefined,
  request: PageRequest,
): Promise<Page<ListedRoute>> {
  let routes = ofOrganization(db, organizationID);
  if (search)
    routes = routes.where((eb) =>
      eb.or([eb("name", "ilike", containing(search)), eb("description", "ilike", containing(search))]),
    );
  const listed = routes
    .select(LISTED)
    .select(sql<number>`jsonb_array_length(firewall_rules)`.as("firewall_rules_count"));
  return page(listed, oldestFirst<ListedRoute>(), request, () => countRows(routes));
}

export function findRoute(db: Reader, organizationID: string, id: string): Promise<RouteRow | undefined> {
  return ofOrganization(db, organizationID).selectAll().where("id", "=", id).executeTakeFirst();
}

/** The version the host reported; before its first report, the version its last configuration was rendered for. */
const nebulaVersion = sql<string | null>`
  case when host_reports.host_id is not null then host_reports.nebula_version
    else (select nebula_version from host_credentials sent where sent.host_id = hosts.id
      order by counter desc limit 1) end`;

/** With the ranges of the router's network. */
export function findRouter(tx: Writer, organizationID: string, id: string) {
  return tx
    .selectFrom("hosts")
    .innerJoin("networks", "networks.id", "hosts.network_id")
    .leftJoin("host_reports", "host_reports.host_id", "hosts.id")
    .select([
      "networks.cidr",
      "networks.ipv6_cidr",
      "hosts.ip_address",
      "hosts.ipv6_address",
      "hosts.role_id as roleID",
      "hosts.tags",
      nebulaVersion.as("nebulaVersion"),
    ])
    .where("hosts.organization_id", "=", organizationID)
    .where("hosts.id", "=", id)
    .executeTakeFirst();
}

/** All rules of a host except those of one route. */
export async function findRuleSources(
  db: Reader,
  organizationID: string,
  { hostID, roleID, tags, exceptRouteID }: RouterRules,
): Promise<RuleSources> {
  const role = await db
    .selectFrom("roles")
    .select("firewall_rules")
    .where("organization_id", "=", organizationID)
    .where("id", "=", roleID)
    .executeTakeFirst();
  const ofTags = db
    .selectFrom("tags")
    .select(["name", "firewall_rules as firewallRules"])
    .where("organization_id", "=", organizationID)
    .where("name", "in", tags);
  const routes = await ofOrganization(db, organizationID)
    .select(["id", "routable_cidrs as routableCIDRs", "firewall_rules as firewallRules"])
    .where("router_host_id", "=", hostID)
    .where("id", "!=", exceptRouteID)
    .execute();
  return {
    roleRules: role?.firewall_rules ?? [],
    tags: tags.length === 0 ? [] : await ofTags.execute(),
    routesServed: routes,
  };
}

/** The networks of the hosts, which never change. */
export async function findNetworkIDs(
  db: Reader,
  organizationID: string,
  hostIDs: readonly string[],
): Promise<string[]> {
  const rows = await db
    .selectFrom("hosts")
    .select("network_id")
    .distinct()
    .where("organization_id", "=", organizationID)
    .where("id", "in", hostIDs)
    .execute();
  return rows.map(({ network_id }) => network_id);
}
