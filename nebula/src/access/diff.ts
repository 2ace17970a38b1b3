// What a change opens and closes. Rules only allow, and their order doesn't matter, so access is a set, and a change is
// the difference of two sets.

import { hasBit, isEmptyBits, noBits, positionsOf, subtractBits } from "./bits.ts";
import type { Bits } from "./bits.ts";
import { findRelevantTags, signatureOf, viewClasses } from "./classes.ts";
import type { ClassView } from "./classes.ts";
import { groupBy } from "./group-by.ts";
import type { AccessHost, AccessNetwork } from "./network.ts";
import { findOpenings, splitTraffic } from "./openings.ts";
import type { Opening } from "./openings.ts";
import { joinTraffic } from "./matrix.ts";
import type { TrafficRange } from "./port-ranges.ts";

/** Traffic that all sources may now send to all destinations, or no longer. */
export interface AccessChange {
  readonly traffic: readonly TrafficRange[];
  readonly sources: readonly AccessHost[];
  readonly destinations: readonly AccessHost[];
  /** Pairs of a source and another host. */
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
  const haveHostsChanged = views.before.hosts.some((host, position) => host !== views.after.hosts[position]);
  const opened: Part[] = [];
  const closed: Part[] = [];
  for (const destinations of groupDestinations(views)) {
    const [first] = destinations;
    const openings = {
      before: openingsOf(views.before, first!),
      after: openingsOf(views.after, first!),
    };
    if (!haveHostsChanged && areSameRules(openings.before, openings.after)) continue;
    opened.push(...subtractOpenings(openings.after, openings.before, classes.length, destinations));
    closed.push(...subtractOpenings(openings.before, openings.after, classes.length, destinations));
  }
  return { opened: toChanges(opened, classes, "after"), closed: toChanges(closed, classes, "before") };
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
  if (network.routes.some(({ routerHostID }) => routerHostID === host.id)) return host.id;
  const tags = host.tags.filter((tag) => (network.tags.get(tag)?.firewallRules.length ?? 0) > 0);
  return JSON.stringify([host.roleID, tags.toSorted()]);
}

function openingsOf(view: ClassView, position: number): Opening[] {
  const host = view.hosts[position];
  return host && hasBit(view.connected, position) ? findOpenings(view, host) : [];
}

/** A quick test for the many destinations that a change doesn't affect. */
const areSameRules = (openings: readonly Opening[], others: readonly Opening[]) =>
  openings.length === others.length &&
  openings.every(({ rule }, index) => rule.rule === others[index]!.rule.rule);

interface Part {
  readonly traffic: TrafficRange;
  readonly sources: Bits;
  readonly destinations: readonly number[];
}

function subtractOpenings(
  openings: readonly Opening[],
  others: readonly Opening[],
  classes: number,
  destinations: readonly number[],
): Part[] {
  const subtracted = new Map(
    splitTraffic(others, openings, classes).map((part) => [`${part.protocol} ${part.from}`, part.sources]),
  );
  return splitTraffic(openings, others, classes)
    .map(({ sources, ...traffic }) => ({
      traffic,
      sources: subtractBits(
        sources,
        subtracted.get(`${traffic.protocol} ${traffic.from}`) ?? noBits(classes),
      ),
      destinations,
    }))
    .filter(({ sources }) => !isEmptyBits(sources));
}

interface Change {
  readonly traffic: readonly TrafficRange[];
  readonly sources: readonly number[];
  readonly destinations: readonly number[];
}

/** Joins the traffic with the same sources and destinations, then the destinations with the same sources and traffic. */
function joinParts(parts: readonly Part[]): Change[] {
  const changes = groupBy(
    parts.map((part) => ({ ...part, sources: positionsOf(part.sources) })),
    ({ sources, destinations }) => `${sources.join(",")} ${destinations.join(",")}`,
  ).map((group) => ({ ...group[0]!, traffic: joinTraffic(group.map(({ traffic }) => traffic)) }));
  return groupBy(changes, ({ sources, traffic }) => JSON.stringify([sources, traffic])).map((group) => ({
    ...group[0]!,
    destinations: group.flatMap(({ destinations }) => destinations),
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
    const pairs = sources.length * destinations.length - destinations.filter((host) => own.has(host)).length;
    return { traffic: change.traffic, sources, destinations, pairs };
  });
  return changes.filter(({ pairs }) => pairs > 0);
}
