/** Whom the difference between two snapshots of a network can touch. Nobody else's configuration can differ. */
import { isDeepStrictEqual } from "node:util";
import type { Snapshot, SnapshotRoute } from "./snapshot.ts";

export type Touched = "everyone" | { roleIDs: Set<string>; tags: Set<string>; hostIDs: Set<string> };

/** What stands in every host's configuration or certificate. */
const shared = (snapshot: Snapshot) => [
  snapshot.cidr,
  snapshot.lighthousesAsRelays,
  snapshot.trustedCas,
  snapshot.issuer,
  snapshot.lighthouses,
  snapshot.relays,
  snapshot.blocklist,
];

function* changedKeys<Value>(
  before: ReadonlyMap<string, Value>,
  after: ReadonlyMap<string, Value>,
): Generator<string> {
  for (const [key, value] of after) if (!isDeepStrictEqual(before.get(key), value)) yield key;
  for (const key of before.keys()) if (!after.has(key)) yield key;
}

const byID = (routes: SnapshotRoute[]) => new Map(routes.map((route) => [route.id, route]));

/** The tags whose hosts have the route. */
function* subscribersOf({ tags }: Snapshot, routeID: string): Generator<string> {
  for (const [name, { routeIDs }] of tags) if (routeIDs.includes(routeID)) yield name;
}

export function touchedBetween(before: Snapshot, after: Snapshot): Touched {
  if (!isDeepStrictEqual(shared(before), shared(after))) return "everyone";
  const tags = new Set(changedKeys(before.tags, after.tags));
  const hostIDs = new Set<string>();
  const [oldRoutes, newRoutes] = [byID(before.routes), byID(after.routes)];
  for (const id of changedKeys(oldRoutes, newRoutes)) {
    for (const route of [oldRoutes.get(id), newRoutes.get(id)]) if (route) hostIDs.add(route.routerHostID);
    for (const snapshot of [before, after]) for (const tag of subscribersOf(snapshot, id)) tags.add(tag);
  }
  return { roleIDs: new Set(changedKeys(before.roles, after.roles)), tags, hostIDs };
}
