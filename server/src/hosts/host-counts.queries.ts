import { sql, type SqlBool } from "kysely";
import type { Reader } from "../db/client.ts";
import { type Count, countRows } from "../db/pages.ts";
import { hostConditions, sharedConditions } from "./host-filters.ts";
import type { HostListing, MatchingHosts } from "./host-listing.ts";

const SEARCH_COUNT_MAX = 10_000;
/** So many are sorted sooner than found in an order that knows nothing of the filter. */
const FEW_MAX = 5000;

export async function countHosts(
  db: Reader,
  listing: HostListing,
  matching: MatchingHosts,
): Promise<number | Count> {
  if (listing.filter.search) return countUpTo(db, matching, SEARCH_COUNT_MAX);
  if (isCounted(listing)) return sumCounts(db, listing);
  return isTagsAlone(listing) ? countTagged(db, listing) : countRows(matching);
}

/** How many match, if few do. */
export async function countFew(
  db: Reader,
  listing: HostListing,
  matching: MatchingHosts,
): Promise<number | undefined> {
  if (!isCounted(listing)) {
    const { count, capped } = await countUpTo(db, matching, FEW_MAX);
    return capped ? undefined : count;
  }
  const count = await sumCounts(db, listing);
  return count > FEW_MAX ? undefined : count;
}

const isCounted = ({ filter, now }: HostListing) =>
  hostConditions(filter, now).length === 0 && (filter.tag?.length ?? 0) <= 1;

async function countUpTo(db: Reader, matching: MatchingHosts, max: number): Promise<Count> {
  const { count } = await db
    .selectFrom(
      matching
        .select("hosts.id")
        .limit(max + 1)
        .as("matching"),
    )
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return { count: Math.min(count, max), capped: count > max };
}

async function sumCounts(db: Reader, { organizationID, filter, agentVersion }: HostListing): Promise<number> {
  let cells = db
    .selectFrom("host_counts")
    .select(({ fn }) => fn.sum<number | null>("count").as("count"))
    .where("organization_id", "=", organizationID)
    .where("tag", "=", filter.tag?.[0] ?? "");
  if (filter.networkID) cells = cells.where("network_id", "=", filter.networkID);
  for (const condition of sharedConditions("host_counts", filter, agentVersion))
    cells = cells.where(condition);
  const { count } = await cells.executeTakeFirstOrThrow();
  return count ?? 0;
}

function isTagsAlone({ filter: { tag, ...others } }: HostListing): boolean {
  return tag !== undefined && Object.values(others).every((value) => value === undefined);
}

/** Who has all of the tags: each tag's hosts are in one order, and are gone through side by side. */
async function countTagged(db: Reader, { organizationID, filter }: HostListing): Promise<number> {
  const [first = "", ...further] = [...new Set(filter.tag)];
  let tagged = db
    .selectFrom("host_tags")
    .where("host_tags.organization_id", "=", organizationID)
    .where("host_tags.tag", "=", first);
  for (const tag of further)
    tagged = tagged.where(
      sql<SqlBool>`exists (select from host_tags further where further.organization_id = ${organizationID}
        and further.tag = ${tag} and further.host_id = host_tags.host_id)`,
    );
  return countRows(tagged);
}
