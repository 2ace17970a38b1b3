import { selectDestinations } from "../config-routes.ts";
import { formatIpPrefix, ipPrefixContains } from "../ip-prefixes.ts";
import type { IpPrefix } from "../ip-prefixes.ts";
import { nebulaCapabilities } from "../versions.ts";
import { readHostFirewall, readPrefix } from "./host-firewall.ts";
import type { AccessHost, AccessNetwork } from "./network.ts";

export interface RouteToAddress {
  readonly subnet: string;
  /** Nebula spreads connections over all of them. */
  readonly routerHostIDs: readonly string[];
  /** Whether the host's system sends packets for the subnet to Nebula without further settings. */
  readonly isInstalled: boolean;
}

/** The most specific route of the host that contains the address. */
export function findRoute(
  network: AccessNetwork,
  host: AccessHost,
  address: IpPrefix,
): RouteToAddress | undefined {
  const addressOf = new Map(network.hosts.map(({ id, address: overlay }) => [id, overlay]));
  const subscribedIDs = new Set(host.tags.flatMap((name) => network.tags.get(name)?.routeIDs ?? []));
  const routesSubscribed = network.routes
    .filter(({ id }) => subscribedIDs.has(id))
    .map(({ id, routerHostID, routableCIDRs }) => ({
      id,
      routableCIDRs,
      routerAddresses: [addressOf.get(routerHostID)].filter((overlay) => overlay !== undefined),
    }));
  const { destinations } = selectDestinations(
    { routesSubscribed, routesServed: readHostFirewall(network, host).routesServed },
    [readPrefix(network.cidr)],
    nebulaCapabilities(host.nebulaVersion),
  );
  const [destination] = destinations
    .filter(({ prefix }) => ipPrefixContains(prefix, address))
    .toSorted((a, b) => b.prefix.prefixLength - a.prefix.prefixLength);
  if (!destination) return undefined;
  const { prefix, routers, install } = destination;
  return {
    subnet: formatIpPrefix(prefix),
    routerHostIDs: network.hosts.filter((each) => routers.includes(each.address)).map(({ id }) => id),
    isInstalled: install,
  };
}
