import { renderRoutes } from "../config-routes.ts";
import { ipPrefixContains } from "../ip-prefixes.ts";
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
  const { unsafeRoutes } = renderRoutes(
    {
      routesServed: readHostFirewall(network, host).routesServed,
      routesSubscribed: network.routes
        .filter(({ id }) => subscribedIDs.has(id))
        .map(({ id, routerHostID, routableCIDRs }) => ({
          id,
          routableCIDRs,
          routerAddresses: [addressOf.get(routerHostID)].filter((overlay) => overlay !== undefined),
        })),
    },
    [readPrefix(network.cidr)],
    nebulaCapabilities(host.nebulaVersion),
  );
  const [route] = unsafeRoutes
    .map(({ route: subnet, via, install }) => ({
      subnet: String(subnet),
      via,
      isInstalled: install !== false,
    }))
    .filter(({ subnet }) => ipPrefixContains(readPrefix(subnet), address))
    .toSorted((a, b) => readPrefix(b.subnet).prefixLength - readPrefix(a.subnet).prefixLength);
  if (!route) return undefined;
  const gateways = new Set(gatewaysOf(route.via));
  const routers = network.hosts.filter(({ address: overlay }) => gateways.has(overlay));
  return {
    subnet: route.subnet,
    routerHostIDs: routers.map(({ id }) => id),
    isInstalled: route.isInstalled,
  };
}

function gatewaysOf(via: unknown): string[] {
  if (!Array.isArray(via)) return [String(via)];
  return via.map(({ gateway }: { gateway: string }) => gateway);
}
