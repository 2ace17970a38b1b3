/** The hosts that the difference between two snapshots of a network can affect. */
import { isDeepStrictEqual } from "node:util";
import type { Snapshot, SnapshotRoute } from "./snapshot.ts";

export type AffectedHosts = "all" | { roleIDs: Set<string>; tags: Set<string>; hostIDs: Set<string> };

/** The parts of a snapshot that are in the configuration or certificate of every host. */
const sharedParts = (snapshot: Snapshot) => [
  snapshot.cidrs,
  snapshot.certVersion,
  snapshot.lighthousesAsRelays,
  snapshot.trustedCas,
  snapshot.issuer,
  snapshot.upgrade,
  snapshot.lighthouses,
  snapshot.relays,
  snapshot.blocklist,
  snapshot.otherBlocklist,
];

function* changedKeys<Value>(
  before: ReadonlyMap<string, Value>,
  after: ReadonlyMap<string, Value>,
): Generator<string> {
  for (const [key, value] of after) if (!isDeepStrictEqual(before.get(key), value)) yield key;
  for (const key of before.keys()) if (!after.has(key)) yield key;
}

const byID = (routes: SnapshotRoute[]) => new Map(routes.map((route) => [route.id, route]));

function* tagsSubscribedTo({ tags }: Snapshot, routeID: string): Generator<string> {
  for (const [name, { routeIDs }] of tags) if (routeIDs.includes(routeID)) yield name;
}

export function affectedHosts(before: Snapshot, after: Snapshot): AffectedHosts {
  if (!isDeepStrictEqual(sharedParts(before), sharedParts(after))) return "all";
  const tags = new Set(changedKeys(before.tags, after.tags));
  const hostIDs = new Set<string>();
  const [oldRoutes, newRoutes] = [byID(before.routes), byID(after.routes)];
  for (const id of changedKeys(oldRoutes, newRoutes)) {
    for (const route of [oldRoutes.get(id), newRoutes.get(id)]) if (route) hostIDs.add(route.routerHostID);
    for (const snapshot of [before, after]) for (const tag of tagsSubscribedTo(snapshot, id)) tags.add(tag);
  }
  return { roleIDs: new Set(changedKeys(before.roles, after.roles)), tags, hostIDs };
}
