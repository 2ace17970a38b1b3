import { sql, type SqlBool } from "kysely";
import type { Reader } from "../../infrastructure/db/client.ts";
import {
  capCount,
  type Count,
  countRows,
  countUpTo,
  type PageRequest,
} from "../../infrastructure/db/pages.ts";
import { hasTags, hostConditions, sharedConditions } from "./host-filters.ts";
import type { HostListing, MatchingHosts } from "./host-listing.ts";
import { sortKeyOf } from "./host-order.ts";

/** A search counts its matches up to this number. */
const SEARCH_COUNT_MAX = 10_000;
/** Up to this number, sorting all matches is faster than skipping hosts in the index of the sort order. */
const FEW_MAX = 2000;
/** A search finds its matches by an index, and sorts them up to a share of all hosts, within these limits. */
const [FEW_FOUND_MIN, FEW_FOUND_MAX] = [1000, 3000];
/** Matches often have similar names, so that most hosts are skipped before them; in other orders, they are spread. */
const FEW_FOUND_SHARES = { name: 1 / 30, others: 1 / 100 };
/** `last_seen_at` correlates with the status: all blocked hosts are at one end of the index. */
const FEW_SEEN_MAX = 20_000;
/** Skipping nearly all hosts of a large organization or network takes much longer than sorting one in twenty. */
const FEW_SEEN_SHARE = 1 / 20;

export async function countHosts(
  db: Reader,
  listing: HostListing,
  matching: MatchingHosts,
): Promise<number | Count> {
  if (listing.filter.search) return countUpTo(db, matching.select("hosts.id"), SEARCH_COUNT_MAX);
  return isCounted(listing) ? sumCounts(db, listing) : countRows(matching);
}

/** The number of matches up to which a search sorts all of them; if the page includes the count, all that it counts. */
export async function findSearchedMax(
  db: Reader,
  listing: HostListing,
  { includeCounts }: PageRequest,
): Promise<number> {
  if (!listing.filter.search) return 0;
  if (includeCounts) return SEARCH_COUNT_MAX;
  const all = await sumCounts(db, { ...listing, filter: {} });
  const share = FEW_FOUND_SHARES[sortKeyOf(listing.sort) === "name" ? "name" : "others"];
  return Math.min(FEW_FOUND_MAX, Math.max(FEW_FOUND_MIN, Math.floor(share * all)));
}

/** Counts the matches up to the number above which sorting them is slower. */
export async function countFew(
  db: Reader,
  listing: HostListing,
  matching: MatchingHosts,
  searchedMax: number,
): Promise<Count> {
  const { filter, sort } = listing;
  if (filter.search) return countUpTo(db, matching.select("hosts.id"), searchedMax);
  const isBySeen = sort?.endsWith("lastSeenAt") === true;
  const max = isBySeen ? FEW_SEEN_MAX : FEW_MAX;
  if (!isCounted(listing)) return countUpTo(db, matching.select("hosts.id"), max);
  const count = await sumCounts(db, listing);
  if (!isBySeen || count <= max) return { count, capped: count > max };
  const inSameIndex = filter.networkID ? { networkID: filter.networkID } : {};
  const all = await sumCounts(db, { ...listing, filter: inSameIndex });
  return { count, capped: count > FEW_SEEN_SHARE * all };
}

/** If the roles alone that match a search have more than `max` hosts, the other matches need not be counted. */
export async function countManyOfRoles(
  db: Reader,
  listing: HostListing,
  { roleIDs, max }: { roleIDs: readonly string[]; max: number },
): Promise<Count | undefined> {
  if (roleIDs.length === 0 || !isCounted(listing)) return undefined;
  const count = capCount(await sumCounts(db, listing, roleIDs), max);
  return count.capped ? count : undefined;
}

const isCounted = ({ filter, now }: HostListing) => hostConditions(filter, now).length === 0;

export async function sumCounts(
  db: Reader,
  { organizationID, filter, agentVersion }: HostListing,
  roleIDs?: readonly string[],
): Promise<number> {
  const tags = [...new Set(filter.tag)];
  const isSet = tags.length > 1;
  const table = isSet ? "host_tag_set_counts" : "host_counts";
  // Both tables have all columns that are used here.
  let cells = db
    .selectFrom(table as "host_counts")
    .select(({ fn }) => fn.sum<number | null>("count").as("count"))
    .where("organization_id", "=", organizationID)
    .where(isSet ? hasTags("host_tag_set_counts", tags) : sql<SqlBool>`tag = ${tags[0] ?? ""}`);
  if (filter.networkID) cells = cells.where("network_id", "=", filter.networkID);
  if (roleIDs) cells = cells.where("role_id", "in", roleIDs);
  for (const condition of sharedConditions(table, filter, agentVersion)) cells = cells.where(condition);
  const { count } = await cells.executeTakeFirstOrThrow();
  return count ?? 0;
}
