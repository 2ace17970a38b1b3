// How many pairs of some hosts and some others can open a connection.

import { ipPrefixContains } from "../ip-prefixes.ts";
import { addBit, addBits, countBits, hasBit, noBits, subtractBits } from "./bits.ts";
import type { Bits } from "./bits.ts";
import { findOther, openingsKey } from "./broken-pairs.ts";
import { viewClasses } from "./classes.ts";
import type { ClassView } from "./classes.ts";
import { readPrefix } from "./host-firewall.ts";
import { indexNetwork } from "./network-index.ts";
import type { AccessHost, AccessNetwork, Traffic } from "./network.ts";
import { findOpenings } from "./openings.ts";
import type { Opening } from "./openings.ts";
import { joinTraffic, portOf } from "./port-ranges.ts";
import type { TrafficRange } from "./port-ranges.ts";
import { createRegionFinder } from "./region-openings.ts";

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
  if (source.address === address) return [];
  const openings = findOpeningsOf(viewClasses(network, [source]), address);
  return joinTraffic(openings.filter(({ sources }) => hasBit(sources, 0)).flatMap(({ traffic }) => traffic));
}

function findOpeningsOf(view: ClassView, address: string): readonly Opening[] {
  const { network } = view;
  if (!ipPrefixContains(readPrefix(network.cidr), readPrefix(address)))
    return createRegionFinder(view)({ address });
  const host = indexNetwork(network).byAddress.get(address);
  return host && view.isConnected(host) ? findOpenings(view, host) : [];
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
      address: host.address,
      position: positions.get(host),
      allowed: () => findAllowed(host),
    })),
  );
}

/** For an address that no host has. */
export function checkPairsWithAddress(
  network: AccessNetwork,
  sources: readonly AccessHost[],
  address: string,
  traffic: Traffic,
): PairCheck {
  const view = viewClasses(network, sources);
  const allowed = uniteSources(findOpeningsOf(view, address), traffic, sources.length);
  return countPairs(sources, [{ address, position: undefined, allowed: () => allowed }]);
}

interface Destination {
  readonly address: string;
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
  for (const { address, position, allowed } of destinations) {
    const bits = allowed();
    const isOwnAllowed = position !== undefined && hasBit(bits, position);
    pairs += sources.length - (position === undefined ? 0 : 1);
    allowedPairs += countBits(bits) - (isOwnAllowed ? 1 : 0);
    const pairWith = (some: Bits): CheckedPair | undefined => {
      const other = findOther(some, position ?? -1);
      return other === undefined ? undefined : { source: sources[other]!, address };
    };
    first ??= pairWith(all);
    denied ??= pairWith(subtractBits(all, bits));
  }
  return { pairs, allowedPairs, example: denied ?? first };
}
