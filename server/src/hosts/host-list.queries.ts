/**
 * The list of hosts. Every order has an index to walk, and so has every filter, so that a page costs what it
 * shows; where both are asked for and few match, those are sorted instead. The count behind the list is a sum
 * over `host_counts` wherever the filter is one that is counted by.
 */
import type { HostFilter } from "@lightkeeper/contract";
import { type RawBuilder, type SelectQueryBuilder, sql, type SqlBool } from "kysely";
import type { Reader } from "../db/client.ts";
import { type Count, type Order, type Page, page, type PageRequest } from "../db/pages.ts";
import { containing } from "../db/search.ts";
import type { Tables } from "../db/tables.ts";
import { countFew, countHosts } from "./host-counts.queries.ts";
import { hostConditions, sharedConditions } from "./host-filters.ts";
import type { HostListing, HostSort, MatchingHosts, SortKey } from "./host-listing.ts";
import { HOST_COLUMNS, type SeenHostRow } from "./hosts.queries.ts";
import { searchable } from "./search-text.ts";

export async function listHosts(
  db: Reader,
  listing: HostListing,
  request: PageRequest,
): Promise<Page<SeenHostRow>> {
  const matching = await findMatching(db, listing);
  const few = mayBeFew(listing) ? await countFew(db, listing, matching) : undefined;
  const count = (): Promise<number | Count> =>
    few === undefined ? countHosts(db, listing, matching) : Promise.resolve(few);
  if (few !== undefined) return page(sorted(db, matching), orderOf(listing, "sorted"), request, count);
  return page(walked(listing, matching), orderOf(listing, "walked"), request, count);
}

/** The ids of all that match, for whoever wants to do something with each. */
export async function findHostIDs(db: Reader, listing: HostListing): Promise<string[]> {
  const matching = await findMatching(db, listing);
  const rows = await matching.select("hosts.id").execute();
  return rows.map(({ id }) => id);
}

async function findMatching(db: Reader, listing: HostListing): Promise<MatchingHosts> {
  const { organizationID, filter, agentVersion, now } = listing;
  const [tag, ...furtherTags] = filter.tag ?? [];
  let hosts = db.selectFrom("hosts") as unknown as MatchingHosts;
  // A network is of one organization: naming both would keep the planner from the network's own indexes.
  if (filter.networkID) hosts = hosts.where(sql<SqlBool>`hosts.network_id = ${ownNetwork(listing)}`);
  else hosts = hosts.where("hosts.organization_id", "=", organizationID);
  if (tag !== undefined)
    hosts = hosts
      .innerJoin("host_tags", "host_tags.host_id", "hosts.id")
      .where("host_tags.organization_id", "=", organizationID)
      .where("host_tags.tag", "=", tag);
  const conditions = [
    ...sharedConditions("hosts", filter, agentVersion),
    ...hostConditions(filter, now),
    ...furtherTags.map(hasTag),
    ...(filter.search ? [await finds(db, organizationID, filter.search)] : []),
  ];
  for (const condition of conditions) hosts = hosts.where(condition);
  return hosts;
}

const ownNetwork = ({ organizationID, filter }: HostListing) =>
  sql`(select id from networks where organization_id = ${organizationID} and id = ${filter.networkID})`;

const hasTag = (tag: string): RawBuilder<SqlBool> =>
  sql`exists (select from host_tags further where further.host_id = hosts.id and further.tag = ${tag})`;

/** In the name, the address, a tag or the role's name. */
async function finds(db: Reader, organizationID: string, text: string): Promise<RawBuilder<SqlBool>> {
  const roles = await db
    .selectFrom("roles")
    .select("id")
    .where("organization_id", "=", organizationID)
    .where("name", "ilike", containing(text))
    .execute();
  const inText = sql<SqlBool>`hosts.search_text like ${containing(searchable(text))}`;
  if (roles.length === 0) return inText;
  return sql`(${inText} or hosts.role_id in (${sql.join(roles.map(({ id }) => id))}))`;
}

const sortKeyOf = (sort: HostSort | undefined) => (sort?.replace("-", "") ?? "createdAt") as SortKey;

/** No index has both the filter and the order. */
function mayBeFew({ filter, sort }: HostListing): boolean {
  if (filter.search || sortKeyOf(sort) === "createdAt") return false;
  return Object.entries(filter).some(([name, value]) => name !== "networkID" && value !== undefined);
}

/** In the order's own index, past those that do not match. */
function walked(listing: HostListing, matching: MatchingHosts) {
  const { organizationID, filter, sort } = listing;
  let seen = matching.innerJoin("host_presence", "host_presence.host_id", "hosts.id");
  if (sortKeyOf(sort) === "lastSeenAt")
    seen = filter.networkID
      ? seen.where(sql<SqlBool>`host_presence.network_id = ${ownNetwork(listing)}`)
      : seen.where("host_presence.organization_id", "=", organizationID);
  if (sortKeyOf(sort) === "lastSeenAt" && areNeverSeen(filter))
    seen = seen.where(sql<SqlBool>`host_presence.last_seen_at = '-infinity'`);
  return seen.select([...HOST_COLUMNS, "host_presence.last_seen_at"]);
}

/** Said aloud, so that they are not looked for behind all that were seen. */
const areNeverSeen = (filter: HostFilter) =>
  filter.status === "neverEnrolled" ||
  filter["metadata.lastSeenAt"] !== undefined ||
  filter["metadata.platform"] === "null";

/** All that match, kept by the offset from being looked for in any order, and then put in order. */
function sorted(db: Reader, matching: MatchingHosts) {
  return db
    .selectFrom(matching.select(HOST_COLUMNS).offset(0).as("hosts"))
    .innerJoin("host_presence", "host_presence.host_id", "hosts.id")
    .selectAll("hosts")
    .select("host_presence.last_seen_at") as unknown as SelectQueryBuilder<Tables, "hosts", SeenHostRow>;
}

const instant = (at: Date | number) => (typeof at === "number" ? "-infinity" : at.toISOString());

/** `host_tags` repeats what its hosts are ordered by; `sorted` has their own columns only. */
function orderOf({ sort, filter }: HostListing, way: "walked" | "sorted"): Order<SeenHostRow> {
  const isTagged = way === "walked" && Boolean(filter.tag?.length);
  const table = isTagged ? "host_tags" : "hosts";
  const id = (column: string) => ({ column, kind: "text" as const, of: (row: SeenHostRow) => row.id });
  const byHost = id(isTagged ? "host_tags.host_id" : "hosts.id");
  const keys: Record<SortKey, Order<SeenHostRow>["keys"]> = {
    name: [{ column: `${table}.name_key`, kind: "text", of: (row) => row.name_key }, byHost],
    ipAddress: [{ column: "hosts.ip_address", kind: "address", of: (row) => row.ip_address }, id("hosts.id")],
    lastSeenAt: [
      { column: "host_presence.last_seen_at", kind: "instant", of: (row) => instant(row.last_seen_at) },
      id("host_presence.host_id"),
    ],
    createdAt: [
      { column: `${table}.created_at`, kind: "instant", of: (row) => instant(row.created_at) },
      byHost,
    ],
  };
  return { keys: keys[sortKeyOf(sort)], descending: sort?.startsWith("-") ?? false };
}
