// Which guarantees a change breaks. Only pairs with a changed part can differ, so only those are compared.

import { hasBit, isEmptyBits, subtractBits } from "./bits.ts";
import type { Bits } from "./bits.ts";
import { findBrokenDestinations } from "./broken-destinations.ts";
import {
  describeViolation,
  findBrokenSources,
  findHostOpenings,
  findOther,
  openingsKey,
} from "./broken-pairs.ts";
import type { ClassView } from "./classes.ts";
import { isSelected, selectHosts, viewForGuarantee } from "./guarantee.ts";
import type { AccessGuarantee, HostSelector, Violation } from "./guarantee.ts";
import { findAffected } from "./guarantee-changes.ts";
import type { AffectedHosts, ChangedParts } from "./guarantee-changes.ts";
import { findNewSubnetViolation } from "./new-subnet-violations.ts";
import type { AccessNetwork } from "./network.ts";

export type { ChangedParts } from "./guarantee-changes.ts";

export interface NewViolation {
  readonly guarantee: AccessGuarantee;
  readonly violation: Violation;
}

/** The guarantees with a pair that is broken after the change and wasn't before: one that fails may only not get worse. */
export function findNewViolations(
  before: AccessNetwork,
  after: AccessNetwork,
  guarantees: readonly AccessGuarantee[],
  changed: ChangedParts,
): NewViolation[] {
  if (guarantees.length === 0) return [];
  const affected = findAffected(before, after, changed);
  if (!affected) return [];
  return guarantees.flatMap((guarantee) => {
    const { destination } = guarantee;
    const violation =
      destination.type === "subnet"
        ? findNewSubnetViolation(affected, guarantee, destination.cidr)
        : findNewHostViolation(affected, guarantee, destination);
    return violation ? [{ guarantee, violation }] : [];
  });
}

function findNewHostViolation(
  affected: AffectedHosts,
  guarantee: AccessGuarantee,
  selector: HostSelector,
): Violation | undefined {
  return findAtDestinations(affected, guarantee, selector) ?? findFromSources(affected, guarantee, selector);
}

/** Compares all sources of the destinations that may accept something else now. */
function findAtDestinations(
  { before, after, destinationPositions }: AffectedHosts,
  guarantee: AccessGuarantee,
  selector: HostSelector,
): Violation | undefined {
  const isDestination = selectHosts(after, selector);
  const destinations = destinationPositions.filter((position) => hasBit(isDestination, position));
  if (destinations.length === 0) return undefined;
  const wasDestination = selectHosts(before, selector);
  const was = createBrokenFinder(before, guarantee);
  const is = createBrokenFinder(after, guarantee);
  for (const position of destinations) {
    const broken = is.findBroken(position);
    const newly = hasBit(wasDestination, position) ? subtractBits(broken, was.findBroken(position)) : broken;
    const source = findOther(newly, position);
    if (source !== undefined) return describeAt(is.view, guarantee, source, position);
  }
  return undefined;
}

function createBrokenFinder(network: AccessNetwork, guarantee: AccessGuarantee) {
  const view = viewForGuarantee(network, guarantee);
  const sources = selectHosts(network, guarantee.source);
  const brokenByKey = new Map<string, Bits>();
  const findBroken = (position: number): Bits => {
    const host = view.hostAt(position)!;
    const key = openingsKey(view, host);
    const broken =
      brokenByKey.get(key) ?? findBrokenSources(guarantee, findHostOpenings(view, guarantee, host), sources);
    brokenByKey.set(key, broken);
    return broken;
  };
  return { view, findBroken };
}

/** Compares what the changed hosts reach among destinations that accept the same as before. */
function findFromSources(
  { before, after, changes, destinations: affected, findOwners }: AffectedHosts,
  guarantee: AccessGuarantee,
  selector: HostSelector,
): Violation | undefined {
  const sources = changes.filter((change) => change.after && isSelected(guarantee.source, change.after));
  if (sources.length === 0) return undefined;
  const destinations = subtractBits(selectHosts(after, selector), affected);
  if (isEmptyBits(destinations)) return undefined;
  for (const { slot, before: host } of sources) {
    const findBroken = (network: AccessNetwork) =>
      findBrokenDestinations(network, guarantee, slot, destinations, findOwners);
    const wasSource = host !== undefined && isSelected(guarantee.source, host);
    const broken = findBroken(after);
    const destination = findOther(wasSource ? subtractBits(broken, findBroken(before)) : broken, slot);
    if (destination !== undefined)
      return describeAt(viewForGuarantee(after, guarantee), guarantee, slot, destination);
  }
  return undefined;
}

function describeAt(
  view: ClassView,
  guarantee: AccessGuarantee,
  source: number,
  destination: number,
): Violation {
  const host = view.hostAt(destination)!;
  const place = { view, openings: findHostOpenings(view, guarantee, host), destination: host };
  return describeViolation(guarantee, place, source);
}
