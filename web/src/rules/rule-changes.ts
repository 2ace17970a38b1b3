/**
 * Compares two sets of rules by the traffic they allow together, because traffic is allowed if any rule matches. A new
 * order, or other rules that allow the same traffic, are no change.
 */
import { ipPrefixContains, parseIpPrefix } from "@lightkeeper/nebula";
import { splitRange, allPorts, isWithin, joinRanges, withoutRanges } from "./port-ranges.ts";
import type { PortRange } from "./ports.ts";
import { ALL_SUBNETS, portsProblem, rangesOf, type RuleValues } from "./rule-values.ts";

export interface RuleSet {
  rules: readonly RuleValues[];
  /** The subnets of a route; omit them for rules of roles and tags. */
  subnets?: readonly string[] | undefined;
}

/** ICMP and OTHER (protocols that only "any" allows) have no ports, so they are allowed as a whole. */
export const trafficTypes = ["TCP", "UDP", "ICMP", "OTHER"] as const;
export type TrafficType = (typeof trafficTypes)[number];

interface Source {
  roleID: string | null;
  tags: readonly string[];
}

/** Hosts, or a part of a subnet, that a change doesn't affect. The role and tags are in addition to the change's. */
export interface Exception extends Source {
  subnet: string | undefined;
}

export interface RuleChange extends Source {
  traffic: Readonly<Record<TrafficType, readonly PortRange[]>>;
  /** Subnets behind a router; empty for rules of roles and tags. */
  subnets: readonly string[];
  except: readonly Exception[];
}

export interface RuleChanges {
  added: RuleChange[];
  removed: RuleChange[];
}

/** Ports of one traffic type, from one source, to one subnet: the unit of comparison. */
interface Access extends Source {
  trafficType: TrafficType;
  range: PortRange;
  subnet: string | undefined;
}

export function ruleChanges(saved: RuleSet, edited: RuleSet): RuleChanges {
  const before = accessesOf(saved);
  const after = accessesOf(edited);
  return { added: accessAdded(before, after), removed: accessAdded(after, before) };
}

/** A rule that is still being typed allows nothing. */
export const isIncomplete = (rule: RuleValues): boolean => portsProblem(rule) !== undefined;

function accessesOf({ rules, subnets }: RuleSet): Access[] {
  const accesses = rules
    .filter((rule) => !isIncomplete(rule))
    .flatMap((rule) => {
      const source = { roleID: rule.allowedRoleID, tags: [...new Set(rule.allowedTags)].toSorted() };
      const targets = subnets ? subnetsAllowed(rule, subnets) : [undefined];
      return trafficOf(rule).flatMap((traffic) =>
        targets.map((subnet) => ({ ...traffic, ...source, subnet })),
      );
    });
  return [...new Map(accesses.map((access) => [JSON.stringify(access), access])).values()];
}

function trafficOf(rule: RuleValues): Pick<Access, "trafficType" | "range">[] {
  const { protocol } = rule;
  if (protocol === "ICMP") return [{ trafficType: protocol, range: allPorts }];
  const trafficTypesOf = (range: PortRange | null): readonly TrafficType[] => {
    if (protocol !== "ANY") return [protocol];
    return range === null ? trafficTypes : ["TCP", "UDP"];
  };
  return rangesOf(rule).flatMap((range) =>
    trafficTypesOf(range).map((trafficType) => ({ trafficType, range: range ?? allPorts })),
  );
}

/** The subnets that a rule allows, limited to those of the route. */
function subnetsAllowed({ localCIDR }: RuleValues, subnets: readonly string[]): string[] {
  const known = subnets.filter((subnet) => parseIpPrefix(subnet));
  if (localCIDR === ALL_SUBNETS) return known;
  if (known.some((subnet) => contains(subnet, localCIDR))) return [localCIDR];
  return known.filter((subnet) => contains(localCIDR, subnet));
}

function contains(outer: string | undefined, inner: string | undefined): boolean {
  if (outer === inner) return true;
  const [one, other] = [parseIpPrefix(outer ?? ""), parseIpPrefix(inner ?? "")];
  return one !== undefined && other !== undefined && ipPrefixContains(one, other);
}

/** Every host that matches the second source also matches the first. */
const isWiderSource = (one: Source, other: Source) =>
  (one.roleID === null || one.roleID === other.roleID) && one.tags.every((tag) => other.tags.includes(tag));

const keyOf = (access: Access) => JSON.stringify(access);
const targetKeyOf = ({ roleID, tags, subnet }: Access) => JSON.stringify([roleID, tags, subnet]);

const isWider = (one: Access, other: Access) =>
  one.trafficType === other.trafficType && isWiderSource(one, other) && contains(one.subnet, other.subnet);

/** The access in the second set that isn't in the first. */
function accessAdded(first: readonly Access[], second: readonly Access[]): RuleChange[] {
  const firstKeys = new Set(first.map(keyOf));
  const parts = second
    .filter((access) => !firstKeys.has(keyOf(access)))
    .flatMap((access) => {
      const covered = first.filter((other) => isWider(other, access));
      // A wider access of the second set already lists this one.
      const listed = second.filter(
        (other) => targetKeyOf(other) !== targetKeyOf(access) && isWider(other, access),
      );
      const rest = withoutRanges(access.range, rangesIn([...covered, ...listed]));
      const narrower = rest.length > 0 ? first.filter((other) => overlapsPartly(other, access)) : [];
      return rest
        .flatMap((range) => splitRange(range, rangesIn(narrower)))
        .map((range) => ({ ...access, range, except: exceptionsOf(narrower, access, range) }));
    });
  return joinSubnets(joinTraffic(parts));
}

const rangesIn = (accesses: readonly Access[]) => accesses.map(({ range }) => range);

type Part = Access & { except: Exception[] };

/** The first allows some of the hosts or subnets that the second allows. */
function overlapsPartly(one: Access, other: Access): boolean {
  if (one.trafficType !== other.trafficType) return false;
  if (one.roleID !== null && other.roleID !== null && one.roleID !== other.roleID) return false;
  return contains(one.subnet, other.subnet) || contains(other.subnet, one.subnet);
}

/** What was already allowed of an access. No exception is contained in another. */
function exceptionsOf(narrower: readonly Access[], access: Access, range: PortRange): Exception[] {
  const exceptions = narrower
    .filter((other) => isWithin(range, other.range))
    .map(({ roleID, tags, subnet }) => ({
      roleID: access.roleID === null ? roleID : null,
      tags: tags.filter((tag) => !access.tags.includes(tag)),
      subnet: contains(subnet, access.subnet) ? undefined : subnet,
    }));
  const isWithinAnother = (one: Exception, index: number) =>
    exceptions.some(
      (other, otherIndex) =>
        isWiderSource(other, one) &&
        (other.subnet === undefined || contains(other.subnet, one.subnet)) &&
        (otherIndex < index || !isWiderSource(one, other) || one.subnet !== other.subnet),
    );
  return exceptions.filter((one, index) => !isWithinAnother(one, index));
}

const groupedBy = <Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[][] => {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups.values()];
};

/** Joins all traffic of a source to a subnet into one change. */
function joinTraffic(parts: readonly Part[]): RuleChange[] {
  return groupedBy(parts, (part) => JSON.stringify([targetKeyOf(part), part.except])).map((group) => {
    const { roleID, tags, subnet, except } = group[0]!;
    const rangesOfType = (trafficType: TrafficType) =>
      joinRanges(rangesIn(group.filter((part) => part.trafficType === trafficType)));
    return {
      roleID,
      tags,
      subnets: subnet === undefined ? [] : [subnet],
      except,
      traffic: {
        TCP: rangesOfType("TCP"),
        UDP: rangesOfType("UDP"),
        ICMP: rangesOfType("ICMP"),
        OTHER: rangesOfType("OTHER"),
      },
    };
  });
}

/** Joins the same change to several subnets into one. */
function joinSubnets(changes: readonly RuleChange[]): RuleChange[] {
  const keyOf = ({ roleID, tags, traffic, except }: RuleChange) =>
    JSON.stringify([roleID, tags, traffic, except]);
  return groupedBy(changes, keyOf).map((group) => ({
    ...group[0]!,
    subnets: group.flatMap(({ subnets }) => subnets),
  }));
}
