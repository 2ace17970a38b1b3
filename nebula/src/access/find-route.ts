import { selectDestinations } from "../config-routes.ts";
import { formatIpPrefix, ipPrefixContains } from "../ip-prefixes.ts";
import type { IpPrefix } from "../ip-prefixes.ts";
import { nebulaCapabilities } from "../versions.ts";
import { familiesOf, familyOfPrefix } from "./families.ts";
import { readPrefix } from "./host-firewall.ts";
import { indexNetwork } from "./network-index.ts";
import type { AccessHost, AccessNetwork } from "./network.ts";

export interface RouteToAddress {
  readonly subnet: string;
  /** Nebula spreads connections over all of them. */
  readonly routers: readonly AccessHost[];
  /** Whether the host's system sends packets for the subnet to Nebula without further settings. */
  readonly isInstalled: boolean;
}

/** The most specific route of the host that contains the address. */
export function findRoute(
  network: AccessNetwork,
  host: AccessHost,
  address: IpPrefix,
): RouteToAddress | undefined {
  const { byID, byAddress, routesByRouterID } = indexNetwork(network);
  const subscribedIDs = new Set(host.tags.flatMap((name) => network.tags.get(name)?.routeIDs ?? []));
  const routesSubscribed = network.routes
    .filter(({ id }) => subscribedIDs.has(id))
    .map(({ id, routerHostID, routableCIDRs }) => ({
      id,
      routableCIDRs,
      routerAddresses: byID.get(routerHostID)?.addresses ?? [],
    }));
  const families = familiesOf(host);
  const reachable = network.cidrs
    .map(readPrefix)
    .filter((prefix) => (familyOfPrefix(prefix) & families) !== 0);
  // All of the host's routes: it gets no route to its own subnets, even if it must not serve them.
  const { destinations } = selectDestinations(
    { routesSubscribed, routesServed: routesByRouterID.get(host.id) ?? [] },
    reachable,
    nebulaCapabilities(host.nebulaVersion),
  );
  const [destination] = destinations
    .filter(({ prefix }) => ipPrefixContains(prefix, address))
    .toSorted((a, b) => b.prefix.prefixLength - a.prefix.prefixLength);
  if (!destination) return undefined;
  const { prefix, routers, install } = destination;
  return {
    subnet: formatIpPrefix(prefix),
    routers: routers.map((overlay) => byAddress.get(overlay)).filter((router) => router !== undefined),
    isInstalled: install,
  };
}
