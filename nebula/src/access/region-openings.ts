// Which classes of hosts reach a region behind a router.

import { hasBit, intersectBits, noBits, addBit } from "./bits.ts";
import type { ClassView } from "./classes.ts";
import { findRoute } from "./find-route.ts";
import { groupBy } from "./group-by.ts";
import { readHostFirewall, readPrefix } from "./host-firewall.ts";
import { ipPrefixContains } from "../ip-prefixes.ts";
import { indexNetwork } from "./network-index.ts";
import type { AccessHost } from "./network.ts";
import { findOpeningsAt } from "./openings.ts";
import type { Opening } from "./openings.ts";
import type { TrafficRange } from "./port-ranges.ts";
import type { Region } from "./regions.ts";

/** Returns a function that finds the openings of a region. */
export function createRegionFinder(view: ClassView): (region: Region) => Opening[] {
  const groups = groupByRoutes(view);
  return (region) => groups.flatMap((positions) => openingsFor(view, region, positions));
}

/** What the region accepts from classes that use the same routes. */
function openingsFor(view: ClassView, region: Region, positions: readonly number[]): Opening[] {
  const route = findRoute(view.network, view.hosts[positions[0]!]!, readPrefix(region.address));
  if (!route || route.routers.length === 0) return [];
  const users = noBits(view.hosts.length);
  for (const position of positions) addBit(users, position);
  // Nebula may use any of the routers, so all of them have to allow the traffic.
  return route.routers
    .map((router) => openingsOfRouter(view, router, region))
    .reduce(intersectOpenings)
    .map((opening) => ({ ...opening, sources: intersectBits(opening.sources, users) }));
}

/** Connected classes that use the same routes in the same way. */
function groupByRoutes({ network, hosts, connected }: ClassView): number[][] {
  const positions = [...hosts.keys()].filter((position) => hasBit(connected, position));
  const withRoutes = positions.filter((position) =>
    hosts[position]!.tags.some((tag) => (network.tags.get(tag)?.routeIDs.length ?? 0) > 0),
  );
  return groupBy(withRoutes, (position) => {
    const host = hosts[position]!;
    const routeIDs = new Set(host.tags.flatMap((tag) => network.tags.get(tag)?.routeIDs ?? []));
    // A router doesn't use routes to its own subnets.
    const isRouter = indexNetwork(network).routesByRouterID.has(host.id);
    return JSON.stringify([[...routeIDs].toSorted(), host.nebulaVersion, isRouter && host.id]);
  });
}

/** A router isn't among its own users: it gets no routes to its own subnets. */
function openingsOfRouter(view: ClassView, router: AccessHost, { address }: Region): Opening[] {
  const position = view.hosts.indexOf(router);
  const local = { address: readPrefix(address), isOwn: false };
  const { subnets } = readHostFirewall(view.network, router);
  const isServed = subnets.some((subnet) => ipPrefixContains(subnet, local.address));
  return hasBit(view.connected, position) && isServed ? findOpeningsAt(view, router, local) : [];
}

function intersectOpenings(openings: readonly Opening[], others: readonly Opening[]): Opening[] {
  return openings.flatMap(({ rule, traffic, sources }) =>
    others.map((other) => ({
      rule,
      traffic: traffic.flatMap((range) => intersectTraffic(range, other.traffic)),
      sources: intersectBits(sources, other.sources),
    })),
  );
}

function intersectTraffic(range: TrafficRange, others: readonly TrafficRange[]): TrafficRange[] {
  return others
    .filter(({ protocol, from, to }) => protocol === range.protocol && from <= range.to && to >= range.from)
    .map(({ from, to }) => ({ ...range, from: Math.max(from, range.from), to: Math.min(to, range.to) }));
}
