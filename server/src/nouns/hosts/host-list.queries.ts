/**
 * The list of hosts. Every sort order and every filter has an index, so that the cost of a page depends on its size.
 * With both, if few hosts match, those are sorted instead. The count is a sum over `host_counts` for every filter
 * that `host_counts` has a column for, and over `host_tag_set_counts` with several tags.
 */
import type { HostFilter } from "@lightkeeper/contract";
import { type RawBuilder, type SelectQueryBuilder, sql, type SqlBool } from "kysely";
import type { Reader } from "../../infrastructure/db/client.ts";
import { capCount, type Count, type Page, page, type PageRequest } from "../../infrastructure/db/pages.ts";
import { containing } from "../../infrastructure/db/search.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { countFew, countHosts, countManyOfRoles, findSearchedMax } from "./host-counts.queries.ts";
import { hasTags, hostConditions, sharedConditions } from "./host-filters.ts";
import type { HostListing, MatchingHosts, SortKey } from "./host-listing.ts";
import { orderOf, type SortedHost, sortKeyOf } from "./host-order.ts";
import { findHosts, type SeenHostRow } from "./hosts.queries.ts";
import { canonicalSearch, searchable } from "./search-text.ts";
import { isUnfiltered, listAllHosts, ofNetworkOrOrganization, walkedHosts } from "./walked-hosts.queries.ts";

export async function listHosts(
  db: Reader,
  listing: HostListing,
  request: PageRequest,
): Promise<Page<SeenHostRow>> {
  if (isUnfiltered(listing)) return listAllHosts(db, listing, request);
  const [roleIDs, searchedMax] = await Promise.all([
    findSearchedRoles(db, listing),
    findSearchedMax(db, listing, request),
  ]);
  const conditions = conditionsOf(listing, roleIDs);
  const matching = matchingHosts(db, listing.filter, conditions);
  const keyed = (keys: Keys, count: () => Promise<number | Count>) =>
    page(keys, orderOf(listing, "sorted"), request, count).then((found) => loadHosts(db, listing, found));
  const many = await countManyOfRoles(db, listing, { roleIDs, max: searchedMax });
  const first = many
    ? undefined
    : await findFirstMatches(db, listing, matching, { ...request, max: searchedMax });
  if (first?.count.capped === false) return loadHosts(db, listing, first);
  const few =
    many ??
    first?.count ??
    (mayBeFew(listing) ? await countFew(db, listing, matching, searchedMax) : undefined);
  if (few?.capped === false)
    return keyed(sortMatches(db, matching, sortKeyOf(listing.sort)), () => Promise.resolve(few));
  // The search has already counted the matches.
  const count = () =>
    few && listing.filter.search ? Promise.resolve(few) : countHosts(db, listing, matching);
  if (listing.filter.search && sortKeyOf(listing.sort) === "name") {
    const walked = conditionsOf({ ...listing, isWalked: true }, roleIDs);
    return keyed(searchedByName(db, listing, walked), count);
  }
  return page(walkedHosts(db, listing, conditions), orderOf(listing, "walked"), request, count);
}

/**
 * The first page of a search and the count of all matches, which are found only once. Undefined for other pages and
 * lists, and only the count is valid if it is capped.
 */
async function findFirstMatches(
  db: Reader,
  listing: HostListing,
  matching: MatchingHosts,
  { max, ...request }: PageRequest & { max: number },
): Promise<(Page<SortedHost> & { count: Count }) | undefined> {
  if (!listing.filter.search || !mayBeFew(listing) || request.cursor !== undefined) return undefined;
  const keys = sortMatches(db, matching.limit(max + 1), sortKeyOf(listing.sort)).select(
    sql<number>`count(*) over ()`.as("total"),
  );
  const countOf = (rows: readonly { total: number }[]) => capCount(rows[0]?.total ?? 0, max);
  const found = await page(keys, orderOf(listing, "sorted"), request, async (rows) => countOf(await rows));
  return { ...found, count: countOf(found.rows) };
}

/** Loads the hosts whose keys were found. */
async function loadHosts(
  db: Reader,
  { organizationID, now }: HostListing,
  { rows, metadata }: Page<SortedHost>,
): Promise<Page<SeenHostRow>> {
  return { rows: await findHosts(db, organizationID, { ids: rows.map(({ id }) => id), now }), metadata };
}

/** The ids of all matching hosts, for bulk changes. */
export async function findHostIDs(db: Reader, listing: HostListing): Promise<string[]> {
  const conditions = conditionsOf(listing, await findSearchedRoles(db, listing));
  const matching = matchingHosts(db, listing.filter, conditions);
  const rows = await matching.select("hosts.id").execute();
  return rows.map(({ id }) => id);
}

/** Walked: read one after the other from the index of the sort order. */
type Listing = HostListing & { isWalked?: boolean };

/** All conditions except the tags. */
function conditionsOf(listing: Listing, roleIDs: readonly string[]): RawBuilder<SqlBool>[] {
  const { filter, agentVersion, now } = listing;
  return [
    ofNetworkOrOrganization(listing),
    ...sharedConditions("hosts", filter, agentVersion),
    ...hostConditions(filter, now),
    ...(filter.search ? [searchCondition(listing, filter.search, roleIDs)] : []),
  ];
}

function matchingHosts(db: Reader, filter: HostFilter, conditions: RawBuilder<SqlBool>[]): MatchingHosts {
  const allConditions = filter.tag?.length ? [...conditions, hasTags("hosts", filter.tag)] : conditions;
  return allConditions.reduce((hosts, condition) => hosts.where(condition), db.selectFrom("hosts"));
}

/** The index has no shorter texts, and most of them match many hosts. */
const INDEXED_LENGTH_MIN = 3;
const isIndexed = (text: string) => searchable(text).length >= INDEXED_LENGTH_MIN;

/** The roles whose name contains the searched text. */
async function findSearchedRoles(db: Reader, { organizationID, filter }: HostListing): Promise<string[]> {
  if (!filter.search) return [];
  const roles = await db
    .selectFrom("roles")
    .select("id")
    .where("organization_id", "=", organizationID)
    .where("name", "ilike", containing(filter.search))
    .execute();
  return roles.map(({ id }) => id);
}

/** Matches the name, the address, the tags and the name of the role. */
function searchCondition(listing: Listing, text: string, roleIDs: readonly string[]): RawBuilder<SqlBool> {
  const forms = [...new Set([text, canonicalSearch(text)])].map(searchable);
  // `strpos` is faster if every text is read; the index supports only `like`.
  const matchesForm = (form: string) =>
    isIndexed(text) && !listing.isWalked
      ? sql<SqlBool>`hosts.search_text like ${containing(form)}`
      : sql<SqlBool>`strpos(hosts.search_text, ${form}) > 0`;
  const matchesText =
    forms.length === 1
      ? matchesForm(forms[0] ?? "")
      : sql<SqlBool>`(${sql.join(forms.map(matchesForm), sql` or `)})`;
  if (roleIDs.length === 0) return matchesText;
  return sql`(${matchesText} or hosts.role_id in (${sql.join(roleIDs)}))`;
}

/** Whether no index has both the filter and the sort order. */
function mayBeFew({ filter, sort }: HostListing): boolean {
  if (filter.search) return isIndexed(filter.search);
  if ((filter.tag?.length ?? 0) > 1) return true;
  if (sortKeyOf(sort) === "createdAt") return false;
  return Object.entries(filter).some(([name, value]) => name !== "networkID" && value !== undefined);
}

/**
 * Selects only the keys: the index by name contains them and the searched text, so that skipped hosts are not read
 * from the table. The index starts with the organization.
 */
function searchedByName(
  db: Reader,
  { organizationID, filter }: HostListing,
  conditions: RawBuilder<SqlBool>[],
): Keys {
  const ofOrganization = sql<SqlBool>`hosts.organization_id = ${organizationID}`;
  return matchingHosts(db, filter, [ofOrganization, ...conditions]).select([
    "hosts.id",
    "hosts.name_key",
  ]) as never;
}

/** Selects all matches, then sorts them; the offset keeps the planner from walking the index of the order. */
function sortMatches(db: Reader, matching: MatchingHosts, by: SortKey): Keys {
  const keys = matching
    .select(["hosts.id", "hosts.name_key", "hosts.ip_address", "hosts.created_at"])
    .offset(0);
  const hosts = db.selectFrom(keys.as("hosts")).selectAll("hosts");
  const withLastSeen = () =>
    hosts
      .innerJoin("host_presence", "host_presence.host_id", "hosts.id")
      .select("host_presence.last_seen_at");
  return (by === "lastSeenAt" ? withLastSeen() : hosts) as never;
}

type Keys = SelectQueryBuilder<Tables, "hosts", SortedHost>;
