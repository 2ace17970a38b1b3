// Parts of access: traffic, and the sources that may send it.

import { areDisjointBits, areEqualBits, isEmptyBits, subtractBits } from "./bits.ts";
import type { Bits } from "./bits.ts";
import { splitTraffic } from "./openings.ts";
import type { AllowedSources, Opening } from "./openings.ts";
import { trafficKey } from "./port-ranges.ts";
import type { TrafficRange } from "./port-ranges.ts";

/** What the openings allow and the others don't. The parts have nothing in common. */
export function subtractOpenings(
  openings: readonly Opening[],
  others: readonly Opening[],
  size: number,
): AllowedSources[] {
  return others.reduce(subtractOpening, splitTraffic(openings, [], size));
}

export function subtractOpening(parts: readonly AllowedSources[], opening: Opening): AllowedSources[] {
  return opening.traffic.reduce<AllowedSources[]>(
    (rest, range) => rest.flatMap((part) => subtractRange(part, range, opening.sources)),
    [...parts],
  );
}

function subtractRange(part: AllowedSources, range: TrafficRange, sources: Bits): AllowedSources[] {
  const isApart = part.protocol !== range.protocol || part.from > range.to || part.to < range.from;
  if (isApart || areDisjointBits(part.sources, sources)) return [part];
  const [from, to] = [Math.max(part.from, range.from), Math.min(part.to, range.to)];
  const rest = { ...part, from, to, sources: subtractBits(part.sources, sources) };
  return [
    ...(part.from < from ? [{ ...part, to: from - 1 }] : []),
    ...(isEmptyBits(rest.sources) ? [] : [rest]),
    ...(part.to > to ? [{ ...part, from: to + 1 }] : []),
  ];
}

function hashBits(bits: Bits): number {
  let hash = bits.length;
  for (let index = 0; index < bits.length; index += 1) hash = (Math.imul(hash, 31) + bits[index]!) | 0;
  return hash;
}

/** Numbers equal sets equally, so that parts can be grouped by their sources. */
export function createBitsNumbering(): (bits: Bits) => number {
  const numbers = new WeakMap<Bits, number>();
  const byHash = new Map<number, { bits: Bits; number: number }[]>();
  let count = 0;
  return (bits) => {
    const known = numbers.get(bits);
    if (known !== undefined) return known;
    const hash = hashBits(bits);
    const candidates = byHash.get(hash) ?? [];
    byHash.set(hash, candidates);
    let found = candidates.find((candidate) => areEqualBits(candidate.bits, bits));
    if (!found) {
      found = { bits, number: count };
      candidates.push(found);
      count += 1;
    }
    numbers.set(bits, found.number);
    return found.number;
  };
}

/** Finds what some openings allow and others don't. Most are in both, and many destinations differ in the same ones. */
export function createPartsFinder(
  size: number,
): (openings: readonly Opening[], others: readonly Opening[]) => AllowedSources[] {
  const numberOf = createBitsNumbering();
  const known = new Map<string, AllowedSources[]>();
  const keyOf = ({ traffic, sources }: Opening) => `${numberOf(sources)} ${trafficKey(traffic)}`;
  return (openings, others) => {
    const keysOfOthers = new Map(others.map((opening) => [keyOf(opening), opening]));
    const byKey = new Map(openings.map((opening) => [keyOf(opening), opening]));
    const added = [...byKey].filter(([key]) => !keysOfOthers.has(key));
    if (added.length === 0) return [];
    const removed = [...keysOfOthers].filter(([key]) => !byKey.has(key));
    const common = [...keysOfOthers].filter(([key]) => byKey.has(key)).map(([, opening]) => opening);
    const key = [added, removed].map((some) => some.map(([each]) => each).join("|")).join("||");
    const parts =
      known.get(key) ??
      subtractOpenings(
        added.map(([, opening]) => opening),
        removed.map(([, opening]) => opening),
        size,
      );
    known.set(key, parts);
    return common.reduce<AllowedSources[]>(subtractOpening, parts);
  };
}
