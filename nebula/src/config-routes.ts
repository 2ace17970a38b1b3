// Renders the unsafe routes: the subnets that a host reaches through routers.

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
import type { ReachableNetworks } from "./config-peers.ts";
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
    | "insideNetwork" // Nebula rejects a route into its own overlay network.
    | "servedByItself"
    | "routerOutOfReach" // The host and the router, or the host and the subnet, have no address family in common.
    | "alwaysInstalled" // This version would add the route to the system's table although it shouldn't.
    | "oneRouterOnly"; // This version supports one router per subnet: the others are omitted.
}

export interface Destination {
  readonly prefix: IpPrefix;
  readonly routers: readonly string[];
  readonly install: boolean;
}

export interface RoutesInput {
  readonly routesSubscribed: readonly SubscribedRoute[];
  readonly routesServed: readonly ServedRoute[];
  /** Subnets behind the host that it must not serve: it is connected to them, so it can't use other routers either. */
  readonly subnetsNotServed?: readonly string[] | undefined;
}

/** The subnets that the host can use, each with the routers that Nebula chooses from. */
export function selectDestinations(
  input: RoutesInput,
  reachable: ReachableNetworks,
  capabilities: NebulaCapabilities,
): { destinations: Destination[]; omitted: OmittedRoute[] } {
  const own = [
    ...input.routesServed.flatMap((route) => Object.keys(route.routableCIDRs)),
    ...(input.subnetsNotServed ?? []),
  ];
  const served = new Set(own.map((cidr) => formatIpPrefix(readNetwork(cidr))));
  const destinations: Destination[] = [];
  const omitted: OmittedRoute[] = [];
  for (const destination of findDestinations(input.routesSubscribed, reachable)) {
    const cidr = formatIpPrefix(destination.prefix);
    const reason = served.has(cidr) ? "servedByItself" : findReason(destination, reachable, capabilities);
    if (reason !== undefined) omitted.push({ kind: "route", cidr, reason });
    if (reason !== undefined && reason !== "oneRouterOnly") continue;
    const routers = capabilities.gatewayLists ? destination.routers : destination.routers.slice(0, 1);
    destinations.push({ ...destination, routers });
  }
  return { destinations, omitted };
}

export function renderRoutes(
  input: RoutesInput,
  reachable: ReachableNetworks,
  capabilities: NebulaCapabilities,
): { unsafeRoutes: YamlMap[]; omitted: OmittedRoute[] } {
  const { destinations, omitted } = selectDestinations(input, reachable, capabilities);
  const unsafeRoutes = destinations.map(({ prefix, routers, install }) => ({
    route: formatIpPrefix(prefix),
    via: routers.length > 1 ? routers.map((gateway) => ({ gateway, weight: 1 })) : routers[0],
    install: install ? undefined : false,
  }));
  return { unsafeRoutes, omitted };
}

function findReason(
  { prefix, routers, install }: Destination,
  reachable: ReachableNetworks,
  capabilities: NebulaCapabilities,
): OmittedRoute["reason"] | undefined {
  if (reachable.some((network) => ipPrefixContains(network, prefix))) return "insideNetwork";
  const hasFamily = reachable.some((network) => isIpv4(network.address) === isIpv4(prefix.address));
  if (routers.length === 0 || !hasFamily) return "routerOutOfReach";
  if (!install && !capabilities.optionalRouteInstall) return "alwaysInstalled";
  if (routers.length > 1 && !capabilities.gatewayLists) return "oneRouterOnly";
  return undefined;
}

/** Merges routes to the same subnet and sorts the subnets. */
function findDestinations(routes: readonly SubscribedRoute[], reachable: ReachableNetworks): Destination[] {
  const destinations = new Map<string, Destination>();
  for (const route of routes) {
    const router = reachableAddresses({ addresses: route.routerAddresses }, reachable).slice(0, 1);
    for (const [cidr, { install }] of Object.entries(route.routableCIDRs)) {
      const prefix = readNetwork(cidr);
      const existing = destinations.get(formatIpPrefix(prefix));
      destinations.set(formatIpPrefix(prefix), {
        prefix,
        routers: [...new Set([...(existing?.routers ?? []), ...router])].toSorted(),
        install: install || existing?.install === true,
      });
    }
  }
  return [...destinations.values()].toSorted((a, b) => compareIpPrefixes(a.prefix, b.prefix));
}

function readNetwork(text: string): IpPrefix {
  const prefix = parseIpPrefix(text);
  if (prefix === undefined) throw new FormatError("a routed subnet must be a valid CIDR");
  return maskIpPrefix(prefix);
}
