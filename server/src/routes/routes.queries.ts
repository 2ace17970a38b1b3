import { type Selectable, sql } from "kysely";
import type { Reader, Writer } from "../db/client.ts";
import { countRows, oldestFirst, type Page, page, type PageRequest } from "../db/pages.ts";
import { containing } from "../db/search.ts";
import type { Tables } from "../db/tables.ts";

export type RouteRow = Selectable<Tables["routes"]>;

const LISTED = [
  "id",
  "name",
  "description",
  "router_host_id",
  "routable_cidrs",
  "created_at",
  "modified_at",
] as const;
export type ListedRoute = Pick<RouteRow, (typeof LISTED)[number]> & { firewall_rules_count: number };

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

/** The row, held until the transaction ends, so that `before` in the audit entry is what was replaced. */
export function holdRoute(tx: Writer, organizationID: string, id: string): Promise<RouteRow | undefined> {
  return ofOrganization(tx, organizationID)
    .selectAll()
    .where("id", "=", id)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Held also against those who would subscribe to it. */
export function lockRoute(tx: Writer, organizationID: string, id: string): Promise<RouteRow | undefined> {
  return ofOrganization(tx, organizationID).selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
}

/** The CIDR of the network the host is in; the host is held so that it cannot be deleted meanwhile. */
export async function holdRouter(
  tx: Writer,
  organizationID: string,
  id: string,
): Promise<string | undefined> {
  const row = await tx
    .selectFrom("hosts")
    .innerJoin("networks", "networks.id", "hosts.network_id")
    .select("networks.cidr")
    .where("hosts.organization_id", "=", organizationID)
    .where("hosts.id", "=", id)
    .forKeyShare("hosts")
    .executeTakeFirst();
  return row?.cidr;
}

/** The networks these hosts are in, which never change. */
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
