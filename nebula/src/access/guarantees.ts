// Whether a network keeps its guarantees.

import { addBit, countBits, hasBit, noBits, positionsOf, subtractBits } from "./bits.ts";
import type { Bits } from "./bits.ts";
import {
  describeViolation,
  findBrokenSources,
  findHostOpenings,
  findOther,
  openingsKey,
} from "./broken-pairs.ts";
import type { ClassView } from "./classes.ts";
import { findCommonAddress, findLocalRouters, selectHosts, viewForGuarantee } from "./guarantee.ts";
import type { AccessGuarantee, HostSelector, Violation } from "./guarantee.ts";
import { tableOf } from "./network-index.ts";
import type { AccessNetwork } from "./network.ts";
import type { Opening } from "./openings.ts";
import { createRegionFinder } from "./region-openings.ts";
import { findUnservedAddress, listRegions } from "./regions.ts";

export interface GuaranteeState {
  /** Pairs of a source and a destination that the guarantee is about. */
  readonly pairs: number;
  readonly brokenPairs: number;
  /** One of the broken pairs. */
  readonly violation?: Violation;
}

export function evaluateGuarantee(network: AccessNetwork, guarantee: AccessGuarantee): GuaranteeState {
  const { destination } = guarantee;
  return destination.type === "subnet"
    ? evaluateSubnet(network, guarantee, destination.cidr)
    : evaluateHosts(network, guarantee, destination);
}

interface BrokenGroup {
  readonly openings: readonly Opening[];
  readonly broken: Bits;
  readonly count: number;
}

function evaluateHosts(
  network: AccessNetwork,
  guarantee: AccessGuarantee,
  destination: HostSelector,
): GuaranteeState {
  const view = viewForGuarantee(network, guarantee);
  const sources = selectHosts(network, guarantee.source);
  const sourceCount = countBits(sources);
  const groups = new Map<string, BrokenGroup>();
  let [pairs, brokenPairs] = [0, 0];
  let violation: Violation | undefined;
  for (const position of positionsOf(selectHosts(network, destination))) {
    const host = view.hostAt(position)!;
    const key = openingsKey(view, host);
    const group = groups.get(key) ?? findBrokenGroup(view, guarantee, position, sources);
    groups.set(key, group);
    pairs += sourceCount - Number(hasBit(sources, position));
    const brokenCount = group.count - Number(hasBit(group.broken, position));
    brokenPairs += brokenCount;
    if (violation || brokenCount === 0) continue;
    const place = { view, openings: group.openings, destination: host };
    violation = describeViolation(guarantee, place, findOther(group.broken, position)!);
  }
  return { pairs, brokenPairs, ...(violation && { violation }) };
}

function findBrokenGroup(
  view: ClassView,
  guarantee: AccessGuarantee,
  position: number,
  sources: Bits,
): BrokenGroup {
  const openings = findHostOpenings(view, guarantee, view.hostAt(position)!);
  const broken = findBrokenSources(guarantee, openings, sources);
  return { openings, broken, count: countBits(broken) };
}

function evaluateSubnet(network: AccessNetwork, guarantee: AccessGuarantee, cidr: string): GuaranteeState {
  const view = viewForGuarantee(network, guarantee);
  const sources = selectHosts(network, guarantee.source);
  let [pairs, brokenPairs] = [0, 0];
  let violation: Violation | undefined;
  for (const { address, openings } of findSubnetParts(view, guarantee, cidr)) {
    const remote = subtractBits(sources, selectLocalRouters(network, address));
    const broken = findBrokenSources(guarantee, openings, remote);
    pairs += countBits(remote);
    brokenPairs += countBits(broken);
    const [first] = violation ? [] : positionsOf(broken);
    if (first !== undefined)
      violation = describeViolation(guarantee, { view, openings, destination: address }, first);
  }
  return { pairs, brokenPairs, ...(violation && { violation }) };
}

/** What must be reachable has to be served as a whole: the rest of the subnet is a part that no host reaches. */
function findSubnetParts(
  view: ClassView,
  { type }: AccessGuarantee,
  cidr: string,
): { address: string; openings: readonly Opening[] }[] {
  const findRegionOpenings = createRegionFinder(view);
  const regions = listRegions(view.network);
  const parts = regions.flatMap((region) => {
    const address = findCommonAddress(region, cidr);
    return address === undefined ? [] : [{ address, openings: findRegionOpenings({ address }) }];
  });
  const unserved = type === "MUST_REACH" ? findUnservedAddress(cidr, [view.network], regions) : undefined;
  return unserved === undefined ? parts : [...parts, { address: unserved, openings: [] }];
}

function selectLocalRouters(network: AccessNetwork, address: string): Bits {
  const { slotByID, used } = tableOf(network);
  const bits = noBits(used.length * 32);
  for (const host of findLocalRouters(network, address)) addBit(bits, slotByID.get(host.id)!);
  return bits;
}
