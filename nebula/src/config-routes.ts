// The networks a host reaches through routers.

import { FormatError } from "./format-error.ts";
import type { RoutableCIDRs, ServedRoute } from "./firewall.ts";
import {
  compareIpPrefixes,
  formatIpPrefix,
  ipPrefixContains,
  isIpv4,
  maskIpPrefix,
  parseIpPrefix,
} from "./ip-prefixes.ts";
import type { IpPrefix } from "./ip-prefixes.ts";
import { reachableAddresses } from "./config-peers.ts";
import type { Reach } from "./config-peers.ts";
import type { NebulaCapabilities } from "./versions.ts";
import type { YamlMap } from "./yaml-writer.ts";

export interface SubscribedRoute {
  readonly id: string;
  /** The router's overlay addresses. */
  readonly routerAddresses: readonly string[];
  readonly routableCIDRs: RoutableCIDRs;
}

export interface OmittedRoute {
  readonly kind: "route";
  readonly cidr: string;
  readonly reason:
    | "insideNetwork" // Nebula refuses a route into its own overlay network.
    | "servedByItself"
    | "routerOutOfReach" // No address of a common family, or no address of the family routed to.
    | "alwaysInstalled" // This version would put it into the system's table against the route's word.
    | "oneRouterOnly"; // This version takes one router for a network: the others are left out.
}

interface Destination {
  readonly prefix: IpPrefix;
  readonly routers: readonly string[];
  readonly install: boolean;
}

export function renderRoutes(
  input: { routesSubscribed: readonly SubscribedRoute[]; routesServed: readonly ServedRoute[] },
  reach: Reach,
  can: NebulaCapabilities,
): { unsafeRoutes: YamlMap[]; omitted: OmittedRoute[] } {
  const served = new Set(
    input.routesServed.flatMap((route) =>
      Object.keys(route.routableCIDRs).map((cidr) => formatIpPrefix(readNetwork(cidr))),
    ),
  );
  const unsafeRoutes: YamlMap[] = [];
  const omitted: OmittedRoute[] = [];
  for (const destination of findDestinations(input.routesSubscribed, reach)) {
    const { prefix, routers, install } = destination;
    const cidr = formatIpPrefix(prefix);
    const reason = served.has(cidr) ? "servedByItself" : findReason(destination, reach, can);
    if (reason !== undefined) omitted.push({ kind: "route", cidr, reason });
    if (reason !== undefined && reason !== "oneRouterOnly") continue;
    unsafeRoutes.push({
      route: cidr,
      via:
        can.gatewayLists && routers.length > 1
          ? routers.map((gateway) => ({ gateway, weight: 1 }))
          : routers[0],
      install: install ? undefined : false,
    });
  }
  return { unsafeRoutes, omitted };
}

function findReason(
  { prefix, routers, install }: Destination,
  reach: Reach,
  can: NebulaCapabilities,
): OmittedRoute["reason"] | undefined {
  if (reach.some((network) => ipPrefixContains(network, prefix))) return "insideNetwork";
  const hasFamily = reach.some((network) => isIpv4(network.address) === isIpv4(prefix.address));
  if (routers.length === 0 || !hasFamily) return "routerOutOfReach";
  if (!install && !can.optionalRouteInstall) return "alwaysInstalled";
  if (routers.length > 1 && !can.gatewayLists) return "oneRouterOnly";
  return undefined;
}

/** One per network, however many routes lead there, in order. */
function findDestinations(routes: readonly SubscribedRoute[], reach: Reach): Destination[] {
  const destinations = new Map<string, Destination>();
  for (const route of routes) {
    const router = reachableAddresses({ addresses: route.routerAddresses }, reach).slice(0, 1);
    for (const [cidr, { install }] of Object.entries(route.routableCIDRs)) {
      const prefix = readNetwork(cidr);
      const known = destinations.get(formatIpPrefix(prefix));
      destinations.set(formatIpPrefix(prefix), {
        prefix,
        routers: [...new Set([...(known?.routers ?? []), ...router])].toSorted(),
        install: install || known?.install === true,
      });
    }
  }
  return [...destinations.values()].toSorted((a, b) => compareIpPrefixes(a.prefix, b.prefix));
}

function readNetwork(text: string): IpPrefix {
  const prefix = parseIpPrefix(text);
  if (prefix === undefined) throw new FormatError("a routed network must be a network");
  return maskIpPrefix(prefix);
}
