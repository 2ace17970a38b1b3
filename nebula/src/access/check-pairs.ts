// How many pairs of some hosts and some others can open a connection.

import { addBit, addBits, countBits, hasBit, noBits, subtractBits } from "./bits.ts";
import type { Bits } from "./bits.ts";
import { findOther, openingsKey } from "./broken-pairs.ts";
import { viewClasses } from "./classes.ts";
import type { ClassView } from "./classes.ts";
import { familyOf, listCommonAddresses } from "./families.ts";
import { isOverlayAddress, readPrefix } from "./host-firewall.ts";
import { indexNetwork, toCanonicalAddress } from "./network-index.ts";
import type { AccessHost, AccessNetwork, Traffic } from "./network.ts";
import { findOpenings } from "./openings.ts";
import type { Opening } from "./openings.ts";
import { joinTraffic, portOf } from "./port-ranges.ts";
import type { TrafficRange } from "./port-ranges.ts";
import { createRegionFinder } from "./region-openings.ts";
import { checkFlow } from "./verdict.ts";

export interface CheckedPair {
  readonly source: AccessHost;
  readonly address: string;
}

export interface PairCheck {
  readonly pairs: number;
  readonly allowedPairs: number;
  /** A pair that can't open the connection, if there is one, and otherwise any pair. */
  readonly example: CheckedPair | undefined;
}

/** Everything that a host may send to an overlay address, or to an address behind a router. */
export function findTrafficTo(network: AccessNetwork, source: AccessHost, address: string): TrafficRange[] {
  if (source.addresses.includes(toCanonicalAddress(address))) return [];
  const openings = findOpeningsOf(viewClasses(network, [source]), address);
  return joinTraffic(openings.filter(({ sources }) => hasBit(sources, 0)).flatMap(({ traffic }) => traffic));
}

function findOpeningsOf(view: ClassView, address: string): readonly Opening[] {
  const { network } = view;
  if (!isOverlayAddress(network, readPrefix(address))) return createRegionFinder(view)({ address });
  const host = indexNetwork(network).byAddress.get(address);
  return host && view.isConnected(host) ? findOpenings(view, host, familyOf(address)) : [];
}

function uniteSources(openings: readonly Opening[], traffic: Traffic, size: number): Bits {
  const port = portOf(traffic);
  const allows = (range: TrafficRange) =>
    range.protocol === traffic.protocol && port >= range.from && port <= range.to;
  const bits = noBits(size);
  for (const opening of openings) if (opening.traffic.some(allows)) addBits(bits, opening.sources);
  return bits;
}

/** A host and itself are no pair. */
export function checkPairs(
  network: AccessNetwork,
  sources: readonly AccessHost[],
  destinations: readonly AccessHost[],
  traffic: Traffic,
): PairCheck {
  const view = viewClasses(network, sources);
  const positions = new Map(sources.map((host, position) => [host, position]));
  const allowedByKey = new Map<string, Bits>();
  const findAllowed = (host: AccessHost): Bits => {
    const key = openingsKey(view, host);
    const openings = () => (view.isConnected(host) ? findOpenings(view, host) : []);
    const allowed = allowedByKey.get(key) ?? uniteSources(openings(), traffic, sources.length);
    allowedByKey.set(key, allowed);
    return allowed;
  };
  return countPairs(
    sources,
    destinations.map((host) => ({
      addressFor: (source) => chooseAddress(network, source, host, traffic),
      position: positions.get(host),
      allowed: () => findAllowed(host),
    })),
  );
}

/** An address that the source reaches, if there is one. */
function chooseAddress(
  network: AccessNetwork,
  source: AccessHost,
  host: AccessHost,
  traffic: Traffic,
): string {
  const common = listCommonAddresses(source, host);
  const allowed = common.find(
    (destination) => checkFlow(network, { source, destination, traffic }).isAllowed,
  );
  return allowed ?? common[0] ?? host.addresses[0]!;
}

/** For one address of a host, or an address that no host has. */
export function checkPairsWithAddress(
  network: AccessNetwork,
  sources: readonly AccessHost[],
  address: string,
  traffic: Traffic,
): PairCheck {
  const view = viewClasses(network, sources);
  const allowed = uniteSources(findOpeningsOf(view, address), traffic, sources.length);
  const host = indexNetwork(network).byAddress.get(address);
  const index = host ? sources.indexOf(host) : -1;
  const position = index === -1 ? undefined : index;
  return countPairs(sources, [{ addressFor: () => address, position, allowed: () => allowed }]);
}

interface Destination {
  readonly addressFor: (source: AccessHost) => string;
  /** Undefined if it isn't a source too. */
  readonly position: number | undefined;
  readonly allowed: () => Bits;
}

function countPairs(sources: readonly AccessHost[], destinations: readonly Destination[]): PairCheck {
  const all = noBits(sources.length);
  for (let position = 0; position < sources.length; position += 1) addBit(all, position);
  let [pairs, allowedPairs] = [0, 0];
  let denied: CheckedPair | undefined;
  let first: CheckedPair | undefined;
  for (const { addressFor, position, allowed } of destinations) {
    const bits = allowed();
    const isOwnAllowed = position !== undefined && hasBit(bits, position);
    pairs += sources.length - (position === undefined ? 0 : 1);
    allowedPairs += countBits(bits) - (isOwnAllowed ? 1 : 0);
    const pairWith = (some: Bits): CheckedPair | undefined => {
      const other = findOther(some, position ?? -1);
      if (other === undefined) return undefined;
      const source = sources[other]!;
      return { source, address: addressFor(source) };
    };
    first ??= pairWith(all);
    denied ??= pairWith(subtractBits(all, bits));
  }
  return { pairs, allowedPairs, example: denied ?? first };
}
