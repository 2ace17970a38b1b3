// Which rules of a list allow nothing that the others don't allow too.

import type { RouteFirewallRule } from "../firewall.ts";
import { ipPrefixContains, maskIpPrefix } from "../ip-prefixes.ts";
import type { IpPrefix } from "../ip-prefixes.ts";
import { readPrefix } from "./host-firewall.ts";
import { coversTraffic, overlaps, trafficOf } from "./port-ranges.ts";
import type { TrafficRange } from "./port-ranges.ts";
import { findFreeAddress } from "./regions.ts";

export interface CoveredRule {
  readonly index: number;
  /** The rules that cover it together. */
  readonly by: readonly number[];
}

/** A rule with everything that the search for covers asks about it again and again. */
interface PlacedRule {
  readonly index: number;
  readonly rule: RouteFirewallRule;
  readonly tags: ReadonlySet<string>;
  /** At most one range of each protocol, all with the same ports. */
  readonly traffic: readonly TrafficRange[];
  /** The places to which the rule applies. */
  readonly places: ReadonlySet<string>;
}

/**
 * Without the covered rules, the list allows exactly the same. The last rules are tested first, so that of two equal
 * ones the later is covered, and only rules that stay are named as covers.
 */
export function findCoveredRules(
  rules: readonly RouteFirewallRule[],
  subnets: readonly string[] | undefined,
): CoveredRule[] {
  const places = findPlaces(rules, subnets);
  const placed = rules.map((rule, index): PlacedRule => ({
    index,
    rule,
    tags: new Set(rule.allowedTags),
    traffic: trafficOf(rule),
    places: places[index]!,
  }));
  const kept = new Set(placed.filter((each) => each.places.size > 0));
  const covered: PlacedRule[] = [];
  // A rule that covers several parts is kept rather than its parts.
  for (const findCover of [findSingleCover, findFewestCovers])
    for (const rule of [...kept].toReversed()) {
      if (!findCover(rule, listPossibleCovers(kept, rule))) continue;
      kept.delete(rule);
      covered.push(rule);
    }
  return covered.map((rule) => {
    const others = listPossibleCovers(kept, rule);
    const by = findSingleCover(rule, others) ?? findFewestCovers(rule, others) ?? [];
    return { index: rule.index, by: by.map(({ index }) => index).toSorted((a, b) => a - b) };
  });
}

const listPossibleCovers = (kept: ReadonlySet<PlacedRule>, rule: PlacedRule): PlacedRule[] =>
  [...kept].filter((other) => other !== rule && isPossibleCover(other, rule));

/** Any host that the rule allows must be allowed by the other rule, whatever hosts there are. */
function isPossibleCover(cover: PlacedRule, { rule, tags, traffic }: PlacedRule): boolean {
  const { allowedRoleID, allowedTags } = cover.rule;
  return (
    (!allowedRoleID || allowedRoleID === rule.allowedRoleID) &&
    (allowedTags ?? []).every((tag) => tags.has(tag)) &&
    overlaps(cover.traffic, traffic)
  );
}

function findSingleCover(rule: PlacedRule, others: readonly PlacedRule[]): PlacedRule[] | undefined {
  const isCover = ({ traffic, places }: PlacedRule) =>
    coversTraffic(traffic, rule.traffic) && [...rule.places].every((place) => places.has(place));
  const single = others.find(isCover);
  return single && [single];
}

/** None of the rules can be left out. */
function findFewestCovers(rule: PlacedRule, others: readonly PlacedRule[]): PlacedRule[] | undefined {
  const byFirstPort = others.toSorted((a, b) => a.traffic[0]!.from - b.traffic[0]!.from);
  const covers = findCovers(rule, [...rule.places], byFirstPort);
  return covers?.reduce((needed, cover) => {
    const without = needed.filter((each) => each !== cover);
    const shared = [...cover.places].filter((place) => rule.places.has(place));
    return findCovers(rule, shared, without) ? without : needed;
  }, covers);
}

/** Rules that allow the rule's traffic to all of the places. */
function findCovers(
  rule: PlacedRule,
  places: readonly string[],
  byFirstPort: readonly PlacedRule[],
): PlacedRule[] | undefined {
  const covers = new Set<PlacedRule>();
  for (const place of places) {
    const candidates = byFirstPort.filter((each) => each.places.has(place));
    for (const range of rule.traffic) {
      const parts = coverRange(range, candidates);
      if (!parts) return undefined;
      for (const part of parts) covers.add(part);
    }
  }
  return byFirstPort.filter((each) => covers.has(each));
}

/** From the first port on, always the rule that contains the next port and reaches furthest. */
function coverRange(range: TrafficRange, byFirstPort: readonly PlacedRule[]): PlacedRule[] | undefined {
  const parts: PlacedRule[] = [];
  let [next, position] = [range.from, 0];
  while (next <= range.to) {
    let [best, last]: [PlacedRule | undefined, number] = [undefined, next - 1];
    for (; position < byFirstPort.length; position += 1) {
      const candidate = byFirstPort[position]!;
      if (candidate.traffic[0]!.from > next) break;
      const ports = candidate.traffic.find(({ protocol }) => protocol === range.protocol);
      if (ports && ports.to > last) [best, last] = [candidate, ports.to];
    }
    if (!best) return undefined;
    parts.push(best);
    next = last + 1;
  }
  return parts;
}

const ALL = "0.0.0.0/0";
/** Rules of roles and tags apply to one place only: the host itself. */
const HOST: ReadonlySet<string> = new Set(["host"]);

/** For each rule, the places to which it applies. All addresses of a place are treated alike by all of the rules. */
function findPlaces(
  rules: readonly RouteFirewallRule[],
  subnets: readonly string[] | undefined,
): ReadonlySet<string>[] {
  if (!subnets) return rules.map(() => HOST);
  const limits = rules.map((rule) => findLimits(rule, subnets));
  const distinct = new Map(
    limits.flat().map((limit) => [JSON.stringify([...limit.address, limit.prefixLength]), limit]),
  );
  const cells = [...distinct.values()];
  const addresses = cells.flatMap((cell) => {
    const inner = cells.filter((other) => other !== cell && ipPrefixContains(cell, other));
    const parts = inner.filter(
      (one) => !inner.some((other) => other !== one && ipPrefixContains(other, one)),
    );
    return findFreeAddress(cell, parts) ?? [];
  });
  return limits.map(
    (some) =>
      new Set(
        addresses.filter((address) => some.some((limit) => ipPrefixContains(limit, readPrefix(address)))),
      ),
  );
}

/** The parts of a route's subnets to which a rule applies. */
export function findLimits({ localCIDR }: RouteFirewallRule, subnets: readonly string[]): IpPrefix[] {
  const prefixes = subnets.map((subnet) => maskIpPrefix(readPrefix(subnet)));
  if (!localCIDR || localCIDR === ALL) return prefixes;
  const limit = maskIpPrefix(readPrefix(localCIDR));
  if (prefixes.some((subnet) => ipPrefixContains(subnet, limit))) return [limit];
  return prefixes.filter((subnet) => ipPrefixContains(limit, subnet));
}
