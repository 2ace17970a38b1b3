import type { Reader } from "../../infrastructure/db/client.ts";
import {
  capCount,
  type Count,
  countRows,
  countUpTo,
  type PageRequest,
} from "../../infrastructure/db/pages.ts";
import { hostConditions, sharedConditions } from "./host-filters.ts";
import type { HostListing, MatchingHosts } from "./host-listing.ts";

/** A search counts its matches up to this number. */
const SEARCH_COUNT_MAX = 10_000;
/** Up to this number, sorting all matches is faster than skipping hosts in the index of the sort order. */
const FEW_MAX = 2000;
/** A search finds its matches by an index. If the page includes the count, all counted matches are sorted. */
const FEW_FOUND_MAX = 3000;
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

/** Up to this number of matches, a search sorts all of them. */
export const searchedMax = ({ includeCounts }: Pick<PageRequest, "includeCounts">): number =>
  includeCounts ? SEARCH_COUNT_MAX : FEW_FOUND_MAX;

/** Counts the matches up to the number above which sorting them is slower. */
export async function countFew(
  db: Reader,
  listing: HostListing,
  matching: MatchingHosts,
  request: Pick<PageRequest, "includeCounts">,
): Promise<Count> {
  const { filter, sort } = listing;
  if (filter.search) return countUpTo(db, matching.select("hosts.id"), searchedMax(request));
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

const isCounted = ({ filter, now }: HostListing) =>
  hostConditions(filter, now).length === 0 && (filter.tag?.length ?? 0) <= 1;

async function sumCounts(
  db: Reader,
  { organizationID, filter, agentVersion }: HostListing,
  roleIDs?: readonly string[],
): Promise<number> {
  let cells = db
    .selectFrom("host_counts")
    .select(({ fn }) => fn.sum<number | null>("count").as("count"))
    .where("organization_id", "=", organizationID)
    .where("tag", "=", filter.tag?.[0] ?? "");
  if (filter.networkID) cells = cells.where("network_id", "=", filter.networkID);
  if (roleIDs) cells = cells.where("role_id", "in", roleIDs);
  for (const condition of sharedConditions("host_counts", filter, agentVersion))
    cells = cells.where(condition);
  const { count } = await cells.executeTakeFirstOrThrow();
  return count ?? 0;
}
