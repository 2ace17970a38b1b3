// Which hosts break a guarantee together with a destination.

import type { InboundRule } from "../firewall.ts";
import { addBits, hasBit, intersectBits, noBits, subtractBits } from "./bits.ts";
import type { Bits } from "./bits.ts";
import type { ClassView } from "./classes.ts";
import { ALL_FAMILIES, familiesOf, familyOf, listCommonAddresses } from "./families.ts";
import { guaranteedTraffic } from "./guarantee.ts";
import type { AccessGuarantee, Violation } from "./guarantee.ts";
import { findOwnFamilies, readHostFirewall } from "./host-firewall.ts";
import { indexNetwork } from "./network-index.ts";
import type { AccessHost, AccessNetwork } from "./network.ts";
import { findOpeningsFor } from "./openings.ts";
import type { Opening } from "./openings.ts";
import { intersectTraffic, overlaps, splitPorts } from "./port-ranges.ts";
import type { TrafficRange } from "./port-ranges.ts";

/** The sources that break the guarantee at a destination with these openings. */
export function findBrokenSources(
  guarantee: AccessGuarantee,
  openings: readonly Opening[],
  sources: Bits,
): Bits {
  const traffic = guaranteedTraffic(guarantee);
  const relevant = openings.filter((opening) => overlaps(opening.traffic, traffic));
  const unite = (some: readonly Opening[]) => {
    const bits = noBits(sources.length * 32);
    for (const opening of some) addBits(bits, opening.sources);
    return bits;
  };
  if (guarantee.type === "MUST_NEVER_REACH") return intersectBits(sources, unite(relevant));
  const allowed = splitAt(traffic, relevant)
    .map((part) => unite(relevant.filter((opening) => overlaps(opening.traffic, [part]))))
    .reduce(intersectBits, sources);
  return subtractBits(sources, allowed);
}

/** Parts of the traffic of which each opening allows all or nothing. */
function splitAt(traffic: readonly TrafficRange[], openings: readonly Opening[]): TrafficRange[] {
  return traffic.flatMap((range) => {
    const { protocol } = range;
    const inside = openings.flatMap((opening) => intersectTraffic([range], opening.traffic));
    return splitPorts([range, ...inside]).map((part) => ({ protocol, ...part }));
  });
}

/** The openings of a destination host that matter; none if its certificate isn't trusted. */
export const findHostOpenings = (
  view: ClassView,
  guarantee: AccessGuarantee,
  host: AccessHost,
): readonly Opening[] =>
  view.isConnected(host) ? findOpeningsFor(view, host, guaranteedTraffic(guarantee)) : [];

/** Hosts with the same key have the same openings. */
export function openingsKey(view: ClassView, host: AccessHost): string {
  const { network } = view;
  if (indexNetwork(network).routesByRouterID.has(host.id)) return `router ${host.id}`;
  if (!view.isConnected(host)) return "";
  return `host ${familiesOf(host)} ${host.roleID ?? ""} ${listTagsWithRules(network, host).join(" ")}`;
}

export function listTagsWithRules({ tags }: AccessNetwork, host: AccessHost): string[] {
  const names = host.tags.filter((tag) => (tags.get(tag)?.firewallRules.length ?? 0) > 0);
  return names.length > 1 ? names.toSorted() : names;
}

/** The first position in the set that isn't the host itself. */
export function findOther(bits: Bits, self: number): number | undefined {
  for (let index = 0; index < bits.length; index += 1) {
    const word = index === self >>> 5 ? bits[index]! & ~(1 << (self & 31)) : bits[index]!;
    if (word !== 0) return index * 32 + 31 - Math.clz32(word & -word);
  }
  return undefined;
}

/** Where a violation was found. */
export interface ViolationPlace {
  readonly view: ClassView;
  readonly openings: readonly Opening[];
  /** A host, or an address behind a router. */
  readonly destination: AccessHost | string;
}

export function describeViolation(
  guarantee: AccessGuarantee,
  { view, openings, destination }: ViolationPlace,
  position: number,
): Violation {
  const traffic = guaranteedTraffic(guarantee);
  const source = view.hostAt(position)!;
  const endpointFor = (rule: InboundRule | undefined) =>
    typeof destination === "string"
      ? { destination: undefined, address: destination }
      : { destination, address: chooseAddress(view.network, source, destination, rule) };
  const matching = openings.filter(
    (opening) => hasBit(opening.sources, position) && overlaps(opening.traffic, traffic),
  );
  if (guarantee.type === "MUST_NEVER_REACH") {
    const [opening] = matching;
    const [common] = intersectTraffic(opening!.traffic, traffic);
    return { source, ...endpointFor(opening!.rule), traffic: common!, rule: opening!.rule };
  }
  const denied = splitAt(traffic, matching).find(
    (part) => !matching.some((opening) => overlaps(opening.traffic, [part])),
  );
  return { source, ...endpointFor(undefined), traffic: denied ?? traffic[0]!, rule: undefined };
}

/** The first address that the source can send to, and to which the rule applies. */
function chooseAddress(
  network: AccessNetwork,
  source: AccessHost,
  host: AccessHost,
  rule: InboundRule | undefined,
): string {
  const firewall = readHostFirewall(network, host);
  const families = rule ? findOwnFamilies(firewall, host, rule) : ALL_FAMILIES;
  const common = listCommonAddresses(source, host);
  return common.find((address) => (familyOf(address) & families) !== 0) ?? host.addresses[0]!;
}
