import type { listTags as endpoint, QueryOf } from "@lightkeeper/contract";
import { type Selectable, sql } from "kysely";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";
import { countRows, type Order, type Page, page, type PageRequest } from "../../infrastructure/db/pages.ts";
import { containing } from "../../infrastructure/db/search.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { areNamingRules, type Reference } from "../firewall-rules/detached-rules.ts";

type TagRow = Selectable<Tables["tags"]>;
interface TagReferences {
  /** The ids of the routes. */
  route_subscriptions: string[];
  host_count: number;
}
export type WholeTag = TagRow & TagReferences;

const LISTED = ["name", "description", "priority", "config_overrides"] as const;
type ListedRow = Pick<TagRow, (typeof LISTED)[number]> & { firewall_rules_count: number };
export type ListedTag = ListedRow & TagReferences;

const ofOrganization = (db: Reader, organizationID: string) =>
  db.selectFrom("tags").where("organization_id", "=", organizationID);

const byPriority: Order<ListedRow> = {
  keys: [
    { column: "priority", kind: "number", of: ({ priority }) => String(priority) },
    { column: "name", kind: "text", of: ({ name }) => name },
  ],
};

interface TagListing extends PageRequest {
  organizationID: string;
  search: string | undefined;
  /** By default, the lowest priority first. */
  sort?: QueryOf<typeof endpoint>["sort"];
}

export async function listTags(
  db: Reader,
  { organizationID, search, sort, ...request }: TagListing,
): Promise<Page<ListedTag>> {
  let tags = ofOrganization(db, organizationID);
  if (search)
    tags = tags.where((eb) =>
      eb.or([eb("name", "ilike", containing(search)), eb("description", "ilike", containing(search))]),
    );
  const listed = tags
    .select(LISTED)
    .select(sql<number>`jsonb_array_length(firewall_rules)`.as("firewall_rules_count"));
  const order = { ...byPriority, descending: sort === "-priority" };
  const { rows, metadata } = await page(listed, order, request, () => countRows(tags));
  return { rows: await withReferences(db, organizationID, rows), metadata };
}

export async function findTag(
  db: Reader,
  organizationID: string,
  name: string,
): Promise<WholeTag | undefined> {
  const row = await ofOrganization(db, organizationID)
    .selectAll()
    .where("name", "=", name)
    .executeTakeFirst();
  const [whole] = row ? await withReferences(db, organizationID, [row]) : [];
  return whole;
}

async function withReferences<Row extends { name: string }>(
  db: Reader,
  organizationID: string,
  rows: Row[],
): Promise<(Row & TagReferences)[]> {
  if (rows.length === 0) return [];
  const names = rows.map(({ name }) => name);
  const subscriptions = await db
    .selectFrom("route_subscriptions")
    .select(["tag", sql<string[]>`array_agg(route_id order by route_id)`.as("routes")])
    .where("organization_id", "=", organizationID)
    .where("tag", "in", names)
    .groupBy("tag")
    .execute();
  const counts = await db
    .selectFrom("host_counts")
    .select(["tag", sql<number>`sum(count)`.as("hosts")])
    .where("organization_id", "=", organizationID)
    .where("tag", "in", names)
    .groupBy("tag")
    .execute();
  const routesOf = new Map(subscriptions.map(({ tag, routes }) => [tag, routes]));
  const hostsOf = new Map(counts.map(({ tag, hosts }) => [tag, hosts]));
  return rows.map((row) => ({
    ...row,
    route_subscriptions: routesOf.get(row.name) ?? [],
    host_count: hostsOf.get(row.name) ?? 0,
  }));
}

/** The other tags whose rules name the role or tag. The caller has locked the organization. */
export async function findTagsNaming(
  tx: Writer,
  organizationID: string,
  reference: Reference,
): Promise<WholeTag[]> {
  const rows = await ofOrganization(tx, organizationID)
    .selectAll()
    .where(areNamingRules(reference))
    .where("name", "!=", "tag" in reference ? reference.tag : "")
    .execute();
  return withReferences(tx, organizationID, rows);
}
