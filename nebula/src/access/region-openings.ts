// Which classes of hosts reach a region behind a router.

import { addBit, intersectBits, noBits, positionsOf, uniteBits } from "./bits.ts";
import type { ClassView } from "./classes.ts";
import { familiesOf } from "./families.ts";
import { findRoute } from "./find-route.ts";
import { groupBy } from "./group-by.ts";
import { isOverlayAddress, readHostFirewall, readPrefix } from "./host-firewall.ts";
import { ipPrefixContains } from "../ip-prefixes.ts";
import { indexNetwork } from "./network-index.ts";
import type { AccessHost, AccessNetwork } from "./network.ts";
import { findOpeningsAt } from "./openings.ts";
import type { Opening } from "./openings.ts";
import { intersectTraffic } from "./port-ranges.ts";
import type { Region } from "./regions.ts";

/** Returns a function that finds the openings of a region. */
export function createRegionFinder(view: ClassView): (region: Pick<Region, "address">) => Opening[] {
  let groups: number[][] | undefined;
  return (region) => {
    // A network that is compared may have a range that contains the region.
    if (isOverlayAddress(view.network, readPrefix(region.address))) return [];
    return (groups ??= groupByRoutes(view)).flatMap((positions) => openingsFor(view, region, positions));
  };
}

/** What the region accepts from classes that use the same routes. */
function openingsFor(
  view: ClassView,
  region: Pick<Region, "address">,
  positions: readonly number[],
): Opening[] {
  const route = findRoute(view.network, view.hostAt(positions[0]!)!, readPrefix(region.address));
  if (!route || route.routers.length === 0) return [];
  const users = noBits(view.size);
  for (const position of positions) addBit(users, position);
  // Nebula may use any of the routers, so all of them have to allow the traffic.
  return route.routers
    .map((router) => openingsOfRouter(view, router, region))
    .reduce(intersectOpenings)
    .map((opening) => ({ ...opening, sources: intersectBits(opening.sources, users) }));
}

const tagsWithRoutes = new WeakMap<AccessNetwork["tags"], readonly string[]>();

function listTagsWithRoutes(tags: AccessNetwork["tags"]): readonly string[] {
  const known = tagsWithRoutes.get(tags);
  if (known) return known;
  const names = [...tags].filter(([, { routeIDs }]) => routeIDs.length > 0).map(([name]) => name);
  tagsWithRoutes.set(tags, names);
  return names;
}

/** Connected classes that use the same routes in the same way. */
function groupByRoutes({ network, size, hostAt, connected, byTag }: ClassView): number[][] {
  const users = listTagsWithRoutes(network.tags)
    .flatMap((name) => byTag.get(name) ?? [])
    .reduce(uniteBits, noBits(size));
  return groupBy(positionsOf(intersectBits(users, connected)), (position) => {
    const host = hostAt(position)!;
    const routeIDs = new Set(host.tags.flatMap((tag) => network.tags.get(tag)?.routeIDs ?? []));
    // A router doesn't use routes to its own subnets.
    const isRouter = indexNetwork(network).routesByRouterID.has(host.id);
    return [
      ...[...routeIDs].toSorted(),
      familiesOf(host),
      host.nebulaVersion ?? "",
      isRouter ? host.id : "",
    ].join("\n");
  });
}

/** A router isn't among its own users: it gets no routes to its own subnets. */
function openingsOfRouter(
  view: ClassView,
  router: AccessHost,
  { address }: Pick<Region, "address">,
): Opening[] {
  const local = { address: readPrefix(address), isOwn: false };
  const { subnets } = readHostFirewall(view.network, router);
  const isServed = subnets.some((subnet) => ipPrefixContains(subnet, local.address));
  return view.isConnected(router) && isServed ? findOpeningsAt(view, router, local) : [];
}

function intersectOpenings(openings: readonly Opening[], others: readonly Opening[]): Opening[] {
  return openings.flatMap(({ rule, traffic, sources }) =>
    others.map((other) => ({
      rule,
      traffic: intersectTraffic(traffic, other.traffic),
      sources: intersectBits(sources, other.sources),
    })),
  );
}
