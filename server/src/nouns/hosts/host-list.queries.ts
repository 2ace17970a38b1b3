/**
 * The list of hosts. Every order has an index to walk, and so has every filter, so that a page costs what it
 * shows; where both are asked for and few match, those are sorted instead. The count behind the list is a sum
 * over `host_counts` wherever the filter is one that is counted by.
 */
import type { HostFilter } from "@lightkeeper/contract";
import { type RawBuilder, type SelectQueryBuilder, sql, type SqlBool } from "kysely";
import type { Reader } from "../../infrastructure/db/client.ts";
import { type Count, type Order, type Page, page, type PageRequest } from "../../infrastructure/db/pages.ts";
import { containing } from "../../infrastructure/db/search.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { countFew, countHosts } from "./host-counts.queries.ts";
import { hostConditions, sharedConditions } from "./host-filters.ts";
import type { HostListing, HostSort, MatchingHosts, SortKey } from "./host-listing.ts";
import { findHosts, seenColumns, type SeenHostRow } from "./hosts.queries.ts";
import { searchable } from "./search-text.ts";

export async function listHosts(
  db: Reader,
  listing: HostListing,
  request: PageRequest,
): Promise<Page<SeenHostRow>> {
  const conditions = await conditionsOf(db, listing);
  const matching = matchingHosts(db, listing.filter, conditions);
  const few = mayBeFew(listing) ? await countFew(db, listing, matching, request) : undefined;
  const keyed = (keys: Keys, count: () => Promise<number | Count>) =>
    page(keys, orderOf(listing, "sorted"), request, count).then((found) => named(db, listing, found));
  if (few?.capped === false)
    return keyed(sorted(db, matching, sortKeyOf(listing.sort)), () => Promise.resolve(few));
  // Many were found, and how many need not be asked again.
  const count = () =>
    few && listing.filter.search ? Promise.resolve(few) : countHosts(db, listing, matching);
  if (listing.filter.search && sortKeyOf(listing.sort) === "name") {
    const walked = await conditionsOf(db, { ...listing, isWalked: true });
    return keyed(searchedByName(db, listing, walked), count);
  }
  return page(walkedHosts(db, listing, conditions), orderOf(listing, "walked"), request, count);
}

/** All there is to say of those whose keys were found. */
async function named(
  db: Reader,
  { organizationID, now }: HostListing,
  { rows, metadata }: Page<Sorted>,
): Promise<Page<SeenHostRow>> {
  return { rows: await findHosts(db, organizationID, { named: rows, now }), metadata };
}

/** The ids of all that match, for whoever wants to do something with each. */
export async function findHostIDs(db: Reader, listing: HostListing): Promise<string[]> {
  const matching = matchingHosts(db, listing.filter, await conditionsOf(db, listing));
  const rows = await matching.select("hosts.id").execute();
  return rows.map(({ id }) => id);
}

/** Walked: one after the other, in an order's index. */
type Listing = HostListing & { isWalked?: boolean };

/** All but the tags. */
async function conditionsOf(db: Reader, listing: Listing): Promise<RawBuilder<SqlBool>[]> {
  const { organizationID, filter, agentVersion, now } = listing;
  return [
    // A network is of one organization: naming both would keep the planner from the network's own indexes.
    filter.networkID
      ? sql`hosts.network_id = ${ownNetwork(listing)}`
      : sql`hosts.organization_id = ${organizationID}`,
    ...sharedConditions("hosts", filter, agentVersion),
    ...hostConditions(filter, now),
    ...(filter.search ? [await finds(db, listing, filter.search)] : []),
  ];
}

const hasTags = (tags: readonly string[]): RawBuilder<SqlBool> => sql`hosts.tags @> ${tags}::text[]`;

function matchingHosts(db: Reader, filter: HostFilter, conditions: RawBuilder<SqlBool>[]): MatchingHosts {
  const all = filter.tag?.length ? [...conditions, hasTags(filter.tag)] : conditions;
  return all.reduce((hosts, condition) => hosts.where(condition), db.selectFrom("hosts"));
}

const ownNetwork = ({ organizationID, filter }: HostListing) =>
  sql`(select id from networks where organization_id = ${organizationID} and id = ${filter.networkID})`;

/** What is shorter is in no index, and as a rule in many hosts. */
const INDEXED_LENGTH_MIN = 3;
const isIndexed = (text: string) => searchable(text).length >= INDEXED_LENGTH_MIN;

/** In the name, the address, a tag or the role's name. */
async function finds(db: Reader, listing: Listing, text: string): Promise<RawBuilder<SqlBool>> {
  const roles = await db
    .selectFrom("roles")
    .select("id")
    .where("organization_id", "=", listing.organizationID)
    .where("name", "ilike", containing(text))
    .execute();
  // Where every text has to be looked at, this looks fastest; the index knows only the other.
  const inText =
    isIndexed(text) && !listing.isWalked
      ? sql<SqlBool>`hosts.search_text like ${containing(searchable(text))}`
      : sql<SqlBool>`strpos(hosts.search_text, ${searchable(text)}) > 0`;
  if (roles.length === 0) return inText;
  return sql`(${inText} or hosts.role_id in (${sql.join(roles.map(({ id }) => id))}))`;
}

const sortKeyOf = (sort: HostSort | undefined) => (sort?.replace("-", "") ?? "createdAt") as SortKey;

/** No index has both the filter and the order. */
function mayBeFew({ filter, sort }: HostListing): boolean {
  if (filter.search) return isIndexed(filter.search);
  if ((filter.tag?.length ?? 0) > 1) return true;
  if (sortKeyOf(sort) === "createdAt") return false;
  return Object.entries(filter).some(([name, value]) => name !== "networkID" && value !== undefined);
}

/** In the order's own index, past those that do not match; a tag has its hosts in order too. */
function walkedHosts(db: Reader, listing: HostListing, conditions: RawBuilder<SqlBool>[]) {
  const { organizationID, filter, sort } = listing;
  const [tag, ...furtherTags] = filter.tag ?? [];
  let hosts = db
    .selectFrom("hosts")
    .innerJoin("host_presence", "host_presence.host_id", "hosts.id") as unknown as Walked;
  for (const condition of conditions) hosts = hosts.where(condition);
  if (tag !== undefined)
    hosts = hosts
      .innerJoin("host_tags", "host_tags.host_id", "hosts.id")
      .where("host_tags.organization_id", "=", organizationID)
      .where("host_tags.tag", "=", tag);
  if (furtherTags.length > 0) hosts = hosts.where(hasTags(furtherTags));
  if (sortKeyOf(sort) === "lastSeenAt") {
    hosts = filter.networkID
      ? hosts.where(sql<SqlBool>`host_presence.network_id = ${ownNetwork(listing)}`)
      : hosts.where("host_presence.organization_id", "=", organizationID);
    if (areNeverSeen(filter)) hosts = hosts.where(sql<SqlBool>`host_presence.last_seen_at = '-infinity'`);
  }
  return hosts.select(seenColumns(listing.now));
}

/** `host_tags` is there when a tag is asked for. */
type Walked = SelectQueryBuilder<Tables, "hosts" | "host_presence" | "host_tags", object>;

/** Said aloud, so that they are not looked for behind all that were seen. */
const areNeverSeen = (filter: HostFilter) =>
  filter.status === "neverEnrolled" ||
  filter["metadata.lastSeenAt"] !== undefined ||
  filter["metadata.platform"] === "null";

/**
 * The keys alone: the index by name has them together with the text that is searched, so that those passed over cost
 * nothing but a look at it. That index is the organization's.
 */
function searchedByName(
  db: Reader,
  { organizationID, filter }: HostListing,
  conditions: RawBuilder<SqlBool>[],
): Keys {
  const own = sql<SqlBool>`hosts.organization_id = ${organizationID}`;
  return matchingHosts(db, filter, [own, ...conditions]).select(["hosts.id", "hosts.name_key"]) as never;
}

/** All that match, kept by the offset from being looked for in any order, and only then put in order. */
function sorted(db: Reader, matching: MatchingHosts, by: SortKey): Keys {
  const keys = matching
    .select(["hosts.id", "hosts.name_key", "hosts.ip_address", "hosts.created_at"])
    .offset(0);
  const hosts = db.selectFrom(keys.as("hosts")).selectAll("hosts");
  const seen = () =>
    hosts
      .innerJoin("host_presence", "host_presence.host_id", "hosts.id")
      .select("host_presence.last_seen_at");
  return (by === "lastSeenAt" ? seen() : hosts) as never;
}

type Keys = SelectQueryBuilder<Tables, "hosts", Sorted>;

/** What a host can be ordered by; when it was seen, if it is by that. */
type Sorted = Pick<SeenHostRow, "id" | "name_key" | "ip_address" | "created_at" | "last_seen_at">;

const instant = (at: Date | number) => (typeof at === "number" ? "-infinity" : at.toISOString());

/** `host_tags` repeats what its hosts are ordered by; `sorted` has their own columns only. */
function orderOf({ sort, filter }: HostListing, way: "walked" | "sorted"): Order<Sorted> {
  const isTagged = way === "walked" && Boolean(filter.tag?.length);
  const table = isTagged ? "host_tags" : "hosts";
  const id = (column: string) => ({ column, kind: "text" as const, of: (row: Sorted) => row.id });
  const byHost = id(isTagged ? "host_tags.host_id" : "hosts.id");
  const keys: Record<SortKey, Order<Sorted>["keys"]> = {
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
