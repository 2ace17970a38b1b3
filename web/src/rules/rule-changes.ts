/**
 * What a change of rules opens and closes. Rules are alternatives, so they are compared by what they let in together:
 * rules in another order, or the same said by others, change nothing.
 */
import { ipPrefixContains, parseIpPrefix } from "@lightkeeper/nebula";
import { cutRange, everyPort, isWithin, joinRanges, withoutRanges } from "./port-ranges.ts";
import type { PortRange } from "./ports.ts";
import { EVERY_NETWORK, portsFault, rangesOf, type RuleValues } from "./rule-values.ts";

export interface RuleSet {
  rules: readonly RuleValues[];
  /** A route's, in which its rules let something in; left out for rules of roles and tags. */
  networks?: readonly string[] | undefined;
}

/** ICMP has no ports, and neither have the protocols that only "any" stands for: they are open as a whole. */
export const lanes = ["TCP", "UDP", "ICMP", "OTHER"] as const;
export type Lane = (typeof lanes)[number];

interface Source {
  roleID: string | null;
  tags: readonly string[];
}

/** Of whom, or of which part of a network, a change is not true: the role and tags are those they have besides. */
export interface Exception extends Source {
  network: string | undefined;
}

export interface RuleChange extends Source {
  traffic: Readonly<Record<Lane, readonly PortRange[]>>;
  /** Behind a router; none for what hosts accept themselves. */
  networks: readonly string[];
  except: readonly Exception[];
}

export interface RuleChanges {
  opens: RuleChange[];
  closes: RuleChange[];
}

/** One lane, from one source, to one network: what can be taken from one another. */
interface Opening extends Source {
  lane: Lane;
  range: PortRange;
  network: string | undefined;
}

export function ruleChanges(saved: RuleSet, edited: RuleSet): RuleChanges {
  const before = openingsOf(saved);
  const after = openingsOf(edited);
  return { opens: gained(before, after), closes: gained(after, before) };
}

/** A rule that is still being typed opens nothing. */
export const isUnfinished = (rule: RuleValues): boolean => portsFault(rule) !== undefined;

function openingsOf({ rules, networks }: RuleSet): Opening[] {
  const openings = rules
    .filter((rule) => !isUnfinished(rule))
    .flatMap((rule) => {
      const source = { roleID: rule.allowedRoleID, tags: [...new Set(rule.allowedTags)].toSorted() };
      const targets = networks ? networksOpened(rule, networks) : [undefined];
      return trafficOf(rule).flatMap((traffic) =>
        targets.map((network) => ({ ...traffic, ...source, network })),
      );
    });
  return [...new Map(openings.map((opening) => [JSON.stringify(opening), opening])).values()];
}

function trafficOf(rule: RuleValues): Pick<Opening, "lane" | "range">[] {
  const { protocol } = rule;
  if (protocol === "ICMP") return [{ lane: protocol, range: everyPort }];
  const lanesOf = (range: PortRange | null): readonly Lane[] => {
    if (protocol !== "ANY") return [protocol];
    return range === null ? lanes : ["TCP", "UDP"];
  };
  return rangesOf(rule).flatMap((range) =>
    lanesOf(range).map((lane) => ({ lane, range: range ?? everyPort })),
  );
}

/** The part of the route that a rule speaks of: never more than the route has. */
function networksOpened({ localCIDR }: RuleValues, networks: readonly string[]): string[] {
  const known = networks.filter((network) => parseIpPrefix(network));
  if (localCIDR === EVERY_NETWORK) return known;
  if (known.some((network) => contains(network, localCIDR))) return [localCIDR];
  return known.filter((network) => contains(localCIDR, network));
}

function contains(outer: string | undefined, inner: string | undefined): boolean {
  if (outer === inner) return true;
  const [one, other] = [parseIpPrefix(outer ?? ""), parseIpPrefix(inner ?? "")];
  return one !== undefined && other !== undefined && ipPrefixContains(one, other);
}

/** Whoever is let in by the second is let in by the first. */
const isWiderSource = (one: Source, other: Source) =>
  (one.roleID === null || one.roleID === other.roleID) && one.tags.every((tag) => other.tags.includes(tag));

const keyOf = (opening: Opening) => JSON.stringify(opening);
const placeOf = ({ roleID, tags, network }: Opening) => JSON.stringify([roleID, tags, network]);

const isWider = (one: Opening, other: Opening) =>
  one.lane === other.lane && isWiderSource(one, other) && contains(one.network, other.network);

/** What is in the second and not in the first. */
function gained(first: readonly Opening[], second: readonly Opening[]): RuleChange[] {
  const known = new Set(first.map(keyOf));
  const parts = second
    .filter((opening) => !known.has(keyOf(opening)))
    .flatMap((opening) => {
      const had = first.filter((other) => isWider(other, opening));
      // Said by a wider one of the second already, it is not said again.
      const said = second.filter((other) => placeOf(other) !== placeOf(opening) && isWider(other, opening));
      const left = withoutRanges(opening.range, rangesIn([...had, ...said]));
      const narrower = left.length > 0 ? first.filter((other) => overlapsPartly(other, opening)) : [];
      return left
        .flatMap((range) => cutRange(range, rangesIn(narrower)))
        .map((range) => ({ ...opening, range, except: exceptionsOf(narrower, opening, range) }));
    });
  return joinNetworks(joinTraffic(parts));
}

const rangesIn = (openings: readonly Opening[]) => openings.map(({ range }) => range);

type Part = Opening & { except: Exception[] };

/** Some of those whom the second lets in are let in by the first too, or to some of where. */
function overlapsPartly(one: Opening, other: Opening): boolean {
  if (one.lane !== other.lane) return false;
  if (one.roleID !== null && other.roleID !== null && one.roleID !== other.roleID) return false;
  return contains(one.network, other.network) || contains(other.network, one.network);
}

/** What was open already of an opening, in the narrowest words, none of them within another. */
function exceptionsOf(narrower: readonly Opening[], opening: Opening, range: PortRange): Exception[] {
  const exceptions = narrower
    .filter((other) => isWithin(range, other.range))
    .map(({ roleID, tags, network }) => ({
      roleID: opening.roleID === null ? roleID : null,
      tags: tags.filter((tag) => !opening.tags.includes(tag)),
      network: contains(network, opening.network) ? undefined : network,
    }));
  const isWithinAnother = (one: Exception, index: number) =>
    exceptions.some(
      (other, place) =>
        isWiderSource(other, one) &&
        (other.network === undefined || contains(other.network, one.network)) &&
        (place < index || !isWiderSource(one, other) || one.network !== other.network),
    );
  return exceptions.filter((one, index) => !isWithinAnother(one, index));
}

const groupedBy = <Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[][] => {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups.values()];
};

/** All traffic of a source to a network is one change. */
function joinTraffic(parts: readonly Part[]): RuleChange[] {
  return groupedBy(parts, (part) => JSON.stringify([placeOf(part), part.except])).map((group) => {
    const { roleID, tags, network, except } = group[0]!;
    const inLane = (lane: Lane) => joinRanges(rangesIn(group.filter((part) => part.lane === lane)));
    return {
      roleID,
      tags,
      networks: network === undefined ? [] : [network],
      except,
      traffic: { TCP: inLane("TCP"), UDP: inLane("UDP"), ICMP: inLane("ICMP"), OTHER: inLane("OTHER") },
    };
  });
}

/** The same change to several networks is one. */
function joinNetworks(changes: readonly RuleChange[]): RuleChange[] {
  const keyOf = ({ roleID, tags, traffic, except }: RuleChange) =>
    JSON.stringify([roleID, tags, traffic, except]);
  return groupedBy(changes, keyOf).map((group) => ({
    ...group[0]!,
    networks: group.flatMap(({ networks }) => networks),
  }));
}
