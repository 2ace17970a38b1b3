import { groupBy } from "./group-by.ts";
import type { AccessHost, AccessNetwork, AccessRoute } from "./network.ts";

export interface NetworkIndex {
  readonly byID: ReadonlyMap<string, AccessHost>;
  readonly byAddress: ReadonlyMap<string, AccessHost>;
  readonly routesByRouterID: ReadonlyMap<string, readonly AccessRoute[]>;
}

const indexes = new WeakMap<AccessNetwork, NetworkIndex>();

/** Finds hosts and routes without searching. Networks don't change, so each index is built once. */
export function indexNetwork(network: AccessNetwork): NetworkIndex {
  const known = indexes.get(network);
  if (known) return known;
  const index = {
    byID: new Map(network.hosts.map((host) => [host.id, host])),
    byAddress: new Map(network.hosts.map((host) => [host.address, host])),
    routesByRouterID: new Map(
      groupBy(network.routes, ({ routerHostID }) => routerHostID).map((routes) => [
        routes[0]!.routerHostID,
        routes,
      ]),
    ),
  };
  indexes.set(network, index);
  return index;
}
