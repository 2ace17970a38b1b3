// What a change opens and closes. Rules only allow, and their order doesn't matter, so access is a set, and a change is
// the difference of two sets.

import { hasBit, isEmptyBits, noBits, positionsOf, subtractBits } from "./bits.ts";
import type { Bits } from "./bits.ts";
import { findRelevantTags, signatureOf, viewClasses } from "./classes.ts";
import type { ClassView } from "./classes.ts";
import { groupBy } from "./group-by.ts";
import { indexNetwork } from "./network-index.ts";
import type { AccessHost, AccessNetwork } from "./network.ts";
import { findOpenings, splitTraffic } from "./openings.ts";
import type { Opening } from "./openings.ts";
import { joinTraffic } from "./port-ranges.ts";
import type { TrafficRange } from "./port-ranges.ts";
import { createRegionFinder } from "./region-openings.ts";
import { findRegions } from "./regions.ts";
import type { Region } from "./regions.ts";

/** Traffic that all sources may now send to all destinations, or no longer. */
export interface AccessChange {
  readonly traffic: readonly TrafficRange[];
  readonly sources: readonly AccessHost[];
  /** Hosts, or regions behind routers. */
  readonly destinations: readonly AccessHost[];
  readonly regions: readonly Region[];
  /** Pairs of a source and another host or a region. */
  readonly pairs: number;
}

export interface AccessDiff {
  readonly opened: readonly AccessChange[];
  readonly closed: readonly AccessChange[];
}

/** The same host before and after the change. */
interface HostPair {
  readonly before: AccessHost | undefined;
  readonly after: AccessHost | undefined;
}

export function diff(before: AccessNetwork, after: AccessNetwork): AccessDiff {
  const classes = groupHosts(before, after);
  const views = {
    before: viewClasses(
      before,
      classes.map(([first]) => first!.before),
    ),
    after: viewClasses(
      after,
      classes.map(([first]) => first!.after),
    ),
  };
  const targets = [...findHostTargets(views), ...findRegionTargets(views)];
  const findChanges = (side: "before" | "after", other: "before" | "after") =>
    toChanges(
      targets.flatMap((target) => subtractOpenings(target, side, other, classes.length)),
      classes,
      side,
    );
  return { opened: findChanges("after", "before"), closed: findChanges("before", "after") };
}

/** Destinations with the same rules, and what they accept before and after the change. */
interface Target {
  /** Positions of classes. */
  readonly destinations: readonly number[];
  readonly regions: readonly Region[];
  readonly before: readonly Opening[];
  readonly after: readonly Opening[];
}

function groupHosts(before: AccessNetwork, after: AccessNetwork): readonly (readonly HostPair[])[] {
  const relevantTags = new Set([...findRelevantTags(before), ...findRelevantTags(after)]);
  const routerIDs = new Set([...before.routes, ...after.routes].map(({ routerHostID }) => routerHostID));
  return groupBy(pairHosts(before, after), (pair) => {
    const was = signatureOf(before, relevantTags, routerIDs, pair.before);
    // Most hosts stay as they are, and the signature takes most of the time.
    if (pair.before === pair.after && before.now === after.now && before.trustedCaIDs === after.trustedCaIDs)
      return was;
    return `${was} ${signatureOf(after, relevantTags, routerIDs, pair.after)}`;
  });
}

function pairHosts(before: AccessNetwork, after: AccessNetwork): HostPair[] {
  if (before.hosts === after.hosts) return before.hosts.map((host) => ({ before: host, after: host }));
  const now = new Map(after.hosts.map((host) => [host.id, host]));
  const known = new Set(before.hosts.map(({ id }) => id));
  return [
    ...before.hosts.map((host) => ({ before: host, after: now.get(host.id) })),
    ...after.hosts.filter(({ id }) => !known.has(id)).map((host) => ({ before: undefined, after: host })),
  ];
}

interface Views {
  readonly before: ClassView;
  readonly after: ClassView;
}

/** Classes with the same rules, which accept the same. */
const groupDestinations = (views: Views): number[][] =>
  groupBy(
    views.before.hosts.keys(),
    (position) => `${ruleKey(views.before, position)} ${ruleKey(views.after, position)}`,
  );

function ruleKey({ network, hosts, connected }: ClassView, position: number): string {
  const host = hosts[position];
  if (!host || !hasBit(connected, position)) return "";
  if (indexNetwork(network).routesByRouterID.has(host.id)) return host.id;
  const tags = host.tags.filter((tag) => (network.tags.get(tag)?.firewallRules.length ?? 0) > 0);
  return JSON.stringify([host.roleID, tags.toSorted()]);
}

function openingsOf(view: ClassView, position: number): Opening[] {
  const host = view.hosts[position];
  return host && hasBit(view.connected, position) ? findOpenings(view, host) : [];
}

function findHostTargets(views: Views): Target[] {
  const haveHostsChanged = haveChanged(views);
  return groupDestinations(views)
    .filter(([first]) => haveHostsChanged || !haveSameRules(views, views.before.hosts[first!]!))
    .map((destinations) => ({
      destinations,
      regions: [],
      before: openingsOf(views.before, destinations[0]!),
      after: openingsOf(views.after, destinations[0]!),
    }));
}

function findRegionTargets(views: Views): Target[] {
  const [before, after] = [views.before.network, views.after.network];
  const { byID, routesByRouterID } = indexNetwork(before);
  const routers = [...routesByRouterID.keys()].flatMap((id) => byID.get(id) ?? []);
  const isUnchanged =
    before.routes === after.routes &&
    before.tags === after.tags &&
    !haveChanged(views) &&
    routers.every((router) => haveSameRules(views, router));
  if (isUnchanged) return [];
  const find = { before: createRegionFinder(views.before), after: createRegionFinder(views.after) };
  return findRegions([before, after]).map((region) => ({
    destinations: [],
    regions: [region],
    before: find.before(region),
    after: find.after(region),
  }));
}

const haveChanged = ({ before, after }: Views) =>
  before.hosts.some((host, position) => host !== after.hosts[position]) ||
  before.connected.some((word, index) => word !== after.connected[index]);

/** A quick test for the many hosts that a change doesn't affect. */
function haveSameRules(views: Views, host: AccessHost): boolean {
  const [before, after] = [views.before.network, views.after.network];
  const routes = [before, after].map((network) => indexNetwork(network).routesByRouterID.get(host.id));
  return (
    (host.roleID === null || before.roles.get(host.roleID) === after.roles.get(host.roleID)) &&
    host.tags.every((tag) => before.tags.get(tag) === after.tags.get(tag)) &&
    (before.routes === after.routes || (routes[0] === undefined && routes[1] === undefined))
  );
}

interface Part extends Pick<Target, "destinations" | "regions"> {
  readonly traffic: TrafficRange;
  readonly sources: Bits;
}

function subtractOpenings(
  target: Target,
  side: "before" | "after",
  other: "before" | "after",
  classes: number,
): Part[] {
  const { destinations, regions, [side]: openings, [other]: others } = target;
  const subtracted = new Map(
    splitTraffic(others, openings, classes).map((part) => [`${part.protocol} ${part.from}`, part.sources]),
  );
  return splitTraffic(openings, others, classes)
    .map(({ sources, ...traffic }) => ({
      destinations,
      regions,
      traffic,
      sources: subtractBits(
        sources,
        subtracted.get(`${traffic.protocol} ${traffic.from}`) ?? noBits(classes),
      ),
    }))
    .filter(({ sources }) => !isEmptyBits(sources));
}

interface Change extends Pick<Target, "destinations" | "regions"> {
  readonly traffic: readonly TrafficRange[];
  readonly sources: readonly number[];
}

/** Joins the traffic with the same sources and destinations, then the destinations with the same sources and traffic. */
function joinParts(parts: readonly Part[]): Change[] {
  const changes = groupBy(
    parts.map((part) => ({ ...part, sources: positionsOf(part.sources) })),
    ({ sources, destinations, regions }) => JSON.stringify([sources, destinations, regions]),
  ).map((group) => ({ ...group[0]!, traffic: joinTraffic(group.map(({ traffic }) => traffic)) }));
  return groupBy(changes, ({ sources, traffic, regions }) =>
    JSON.stringify([sources, traffic, regions.length > 0]),
  ).map((group) => ({
    ...group[0]!,
    destinations: group.flatMap(({ destinations }) => destinations),
    regions: group.flatMap(({ regions }) => regions),
  }));
}

function toChanges(
  parts: readonly Part[],
  classes: readonly (readonly HostPair[])[],
  side: keyof HostPair,
): AccessChange[] {
  const hostsOf = (positions: readonly number[]) =>
    positions.flatMap((position) => classes[position]!.map((pair) => pair[side]!));
  const changes = joinParts(parts).map((change) => {
    const [sources, destinations] = [hostsOf(change.sources), hostsOf(change.destinations)];
    const own = new Set(sources);
    const selves = destinations.filter((host) => own.has(host)).length;
    const { traffic, regions } = change;
    const pairs = sources.length * (destinations.length + regions.length) - selves;
    return { traffic, sources, destinations, regions, pairs };
  });
  return changes.filter(({ pairs }) => pairs > 0);
}
