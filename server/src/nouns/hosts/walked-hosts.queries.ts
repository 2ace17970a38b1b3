/** Hosts in the order of an index. */
import type { HostFilter } from "@lightkeeper/contract";
import { type RawBuilder, type SelectQueryBuilder, sql, type SqlBool } from "kysely";
import type { Reader } from "../../infrastructure/db/client.ts";
import {
  type Bounds,
  findPage,
  isCommonLimit,
  type Page,
  type PageRequest,
  withinBounds,
} from "../../infrastructure/db/pages.ts";
import { prepareQueries } from "../../infrastructure/db/prepared-query.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { sumCounts } from "./host-counts.queries.ts";
import { hasTags } from "./host-filters.ts";
import type { HostListing, HostSort } from "./host-listing.ts";
import { orderOf, sortKeyOf } from "./host-order.ts";
import { seenColumns, type SeenHostRow } from "./hosts.queries.ts";

/** Without what only conditions need. */
type Listing = Omit<HostListing, "agentVersion">;

const requestedNetwork = ({ organizationID, filter }: Listing) =>
  sql`(select id from networks where organization_id = ${organizationID} and id = ${filter.networkID})`;

/** A network belongs to one organization: with both conditions, the planner ignores the indexes by network. */
export const ofNetworkOrOrganization = (listing: Listing): RawBuilder<SqlBool> =>
  listing.filter.networkID
    ? sql`hosts.network_id = ${requestedNetwork(listing)}`
    : sql`hosts.organization_id = ${listing.organizationID}`;

/** Reads the index of the sort order and skips hosts that don't match; `host_tags` has the same orders for each tag. */
export function walkedHosts(db: Reader, listing: Listing, conditions: RawBuilder<SqlBool>[]) {
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
  if (furtherTags.length > 0) hosts = hosts.where(hasTags("hosts", furtherTags));
  if (sortKeyOf(sort) === "lastSeenAt") {
    hosts = filter.networkID
      ? hosts.where(sql<SqlBool>`host_presence.network_id = ${requestedNetwork(listing)}`)
      : hosts.where("host_presence.organization_id", "=", organizationID);
    if (areNeverSeen(filter)) hosts = hosts.where(sql<SqlBool>`host_presence.last_seen_at = '-infinity'`);
  }
  return hosts.select(seenColumns(listing.now));
}

/** `host_tags` is joined only for a filter by tag. */
type Walked = SelectQueryBuilder<Tables, "hosts" | "host_presence" | "host_tags", object>;

/** As an explicit condition, so that the index starts with the hosts that were never seen. */
const areNeverSeen = (filter: HostFilter) =>
  filter.status === "neverEnrolled" ||
  filter["metadata.lastSeenAt"] !== undefined ||
  filter["metadata.platform"] === "null";

export const isUnfiltered = ({ filter }: HostListing): boolean =>
  Object.entries(filter).every(([name, value]) => name === "networkID" || value === undefined);

/** What the text of the statement depends on. */
interface Shape {
  sort: HostSort | undefined;
  isOfNetwork: boolean;
  isDescending: boolean;
  isFirstPage: boolean;
  /** Undefined if it is a value. */
  limit: number | undefined;
}

interface Values {
  organizationID: string;
  networkID: string | undefined;
  now: Date;
  limit: number;
  firstKey: string;
  secondKey: string;
}

/** Most requests are for these lists: building the statement would take as long as reading its result. */
const selectAllHosts = prepareQueries((db, shape: Shape, values: Values) => {
  const { organizationID, networkID, now, firstKey, secondKey } = values;
  const listing = {
    organizationID,
    filter: shape.isOfNetwork ? { networkID } : {},
    sort: shape.sort,
    now,
  };
  const bounds = {
    isDescending: shape.isDescending,
    limit: shape.limit ?? values.limit,
    after: shape.isFirstPage ? [] : [firstKey, secondKey],
  };
  const hosts = walkedHosts(db, listing, [ofNetworkOrOrganization(listing)]);
  return withinBounds(hosts, orderOf(listing, "walked"), bounds);
});

/** All hosts of the organization or of a network. */
export function listAllHosts(
  db: Reader,
  listing: HostListing,
  request: PageRequest,
): Promise<Page<SeenHostRow>> {
  const { organizationID, filter, sort, now } = listing;
  const { networkID } = filter;
  const find = ({ isDescending, limit, after }: Bounds) => {
    const [firstKey = "", secondKey = ""] = after;
    const shape = {
      sort,
      isOfNetwork: Boolean(networkID),
      isDescending,
      isFirstPage: after.length === 0,
      limit: isCommonLimit(limit) ? limit : undefined,
    };
    return selectAllHosts(db, shape, { organizationID, networkID, now, limit, firstKey, secondKey });
  };
  return findPage(find, orderOf(listing, "walked"), request, () => sumCounts(db, listing));
}
