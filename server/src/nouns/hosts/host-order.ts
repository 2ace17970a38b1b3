import type { Order } from "../../infrastructure/db/pages.ts";
import type { HostListing, HostSort, SortKey } from "./host-listing.ts";
import type { SeenHostRow } from "./hosts.queries.ts";

export const sortKeyOf = (sort: HostSort | undefined) => (sort?.replace("-", "") ?? "createdAt") as SortKey;

/** The sort keys of a host; `last_seen_at` only if it is sorted by. */
export type SortedHost = Pick<SeenHostRow, "id" | "name_key" | "ip_address" | "created_at" | "last_seen_at">;

const instant = (at: Date | number) => (typeof at === "number" ? "-infinity" : at.toISOString());

/** `host_tags` has copies of the sort keys; sorted matches have only the columns of the host. */
export function orderOf(
  { sort, filter }: Pick<HostListing, "sort" | "filter">,
  way: "walked" | "sorted",
): Order<SortedHost> {
  const isTagged = way === "walked" && Boolean(filter.tag?.length);
  const table = isTagged ? "host_tags" : "hosts";
  const id = (column: string) => ({ column, kind: "text" as const, of: (row: SortedHost) => row.id });
  const byHost = id(isTagged ? "host_tags.host_id" : "hosts.id");
  const keys: Record<SortKey, Order<SortedHost>["keys"]> = {
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
