// Which rules of a list allow nothing that the others don't allow too.

import type { RouteFirewallRule } from "../firewall.ts";
import { ipPrefixContains, maskIpPrefix } from "../ip-prefixes.ts";
import type { IpPrefix } from "../ip-prefixes.ts";
import { readPrefix } from "./host-firewall.ts";
import { coversTraffic, overlaps, trafficOf } from "./port-ranges.ts";
import { findFreeAddress } from "./regions.ts";

export interface CoveredRule {
  readonly index: number;
  /** The rules that cover it together. */
  readonly by: readonly number[];
}

/**
 * Without the covered rules, the list allows exactly the same. The last rules are tested first, so that of two equal
 * ones the later is covered, and a covered rule doesn't cover others.
 */
export function findCoveredRules(
  rules: readonly RouteFirewallRule[],
  subnets: readonly string[] | undefined,
): CoveredRule[] {
  const places = findPlaces(rules, subnets);
  const kept = new Set([...rules.keys()].filter((index) => places[index]!.size > 0));
  const covered: CoveredRule[] = [];
  // A rule that covers several parts is kept rather than its parts.
  for (const findCover of [findSingleCover, findFewestCovers])
    for (const index of [...kept].toReversed()) {
      const others = [...kept].filter((other) => other !== index && isPossibleCover(rules, other, index));
      const by = findCover((some) => areCovering(rules, places, some, index), others);
      if (!by) continue;
      kept.delete(index);
      covered.push({ index, by });
    }
  return covered;
}

type IsCover = (some: readonly number[]) => boolean;

function findSingleCover(isCover: IsCover, others: readonly number[]): number[] | undefined {
  const single = others.find((other) => isCover([other]));
  return single === undefined ? undefined : [single];
}

/** None of the rules can be left out. */
function findFewestCovers(isCover: IsCover, others: readonly number[]): number[] | undefined {
  if (!isCover(others)) return undefined;
  return others.reduce<number[]>((needed, other) => {
    const without = needed.filter((each) => each !== other);
    return isCover(without) ? without : needed;
  }, others.slice());
}

/** Any host that the rule allows must be allowed by the other rule, whatever hosts there are. */
function isPossibleCover(rules: readonly RouteFirewallRule[], other: number, index: number): boolean {
  const [cover, rule] = [rules[other]!, rules[index]!];
  const tags = new Set(rule.allowedTags);
  return (
    (!cover.allowedRoleID || cover.allowedRoleID === rule.allowedRoleID) &&
    (cover.allowedTags ?? []).every((tag) => tags.has(tag)) &&
    overlaps(trafficOf(cover), trafficOf(rule))
  );
}

/** Whether the others allow the rule's traffic to all of its places. */
function areCovering(
  rules: readonly RouteFirewallRule[],
  places: readonly ReadonlySet<string>[],
  others: readonly number[],
  index: number,
): boolean {
  return [...places[index]!].every((place) =>
    coversTraffic(
      others.filter((other) => places[other]!.has(place)).flatMap((other) => trafficOf(rules[other]!)),
      trafficOf(rules[index]!),
    ),
  );
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
