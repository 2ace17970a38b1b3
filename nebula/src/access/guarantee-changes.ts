// Which hosts a change can affect, as sources and as destinations of guarantees.

import { addBit, hasBit, noBits, positionsOf, uniteBits } from "./bits.ts";
import type { Bits } from "./bits.ts";
import { hostAt } from "./host-table.ts";
import type { SlotChange } from "./host-table.ts";
import { indexNetwork, tableOf } from "./network-index.ts";
import type { AccessHost, AccessNetwork } from "./network.ts";
import { findAllowingOwners } from "./rule-owners.ts";
import type { AllowingOwner } from "./rule-owners.ts";
import { alignNetworks } from "./slot-changes.ts";
import { toBits } from "./slots.ts";

export interface ChangedParts {
  /** Not needed for the result: hosts that differ are found by comparison, which takes almost no time. */
  readonly hostIDs: ReadonlySet<string>;
  readonly roleIDs: ReadonlySet<string>;
  readonly tags: ReadonlySet<string>;
  readonly routeIDs: ReadonlySet<string>;
}

export interface AffectedHosts {
  readonly before: AccessNetwork;
  readonly after: AccessNetwork;
  /** Hosts that are other sources than before. */
  readonly changes: readonly SlotChange[];
  /** Hosts that may accept something else than before. */
  readonly destinations: Bits;
  readonly destinationPositions: readonly number[];
  /** Whether hosts may use other routes, or routers may accept something else. */
  readonly areRoutesAffected: boolean;
  readonly findOwners: (network: AccessNetwork, host: AccessHost) => readonly AllowingOwner[];
}

/** Comparing all destinations is faster than comparing many sources one by one. */
const SOURCES_MAX = 32;

/** Undefined if the change can't affect any guarantee. */
export function findAffected(
  givenBefore: AccessNetwork,
  givenAfter: AccessNetwork,
  changed: ChangedParts,
): AffectedHosts | undefined {
  const { before, after, changes } = alignNetworks(givenBefore, givenAfter);
  const relevant = [...changes.filter(isRelevant), ...findTrustChanges(before, after)];
  const hasChangedParts =
    changed.roleIDs.size + changed.tags.size + changed.routeIDs.size > 0 ||
    !areEqualLists(before.cidrs, after.cidrs);
  if (relevant.length === 0 && !hasChangedParts) return undefined;
  const isMany = relevant.length > SOURCES_MAX;
  const destinations = isMany ? tableOf(after).used : findHostsOfParts(before, after, changed);
  if (!isMany) for (const { slot } of relevant) addBit(destinations, slot);
  const owners = new Map<AccessNetwork, Map<AccessHost, readonly AllowingOwner[]>>();
  return {
    before,
    after,
    changes: relevant,
    destinations,
    destinationPositions: positionsOf(destinations),
    areRoutesAffected: isMany || areRoutesAffected(before, after, changed, destinations),
    findOwners: (network, host) => {
      const known = owners.get(network) ?? new Map<AccessHost, readonly AllowingOwner[]>();
      owners.set(network, known);
      const found = known.get(host) ?? findAllowingOwners(network, host);
      known.set(host, found);
      return found;
    },
  };
}

/** Most changes of hosts, such as a new certificate, don't change what rules say about them. */
function isRelevant({ before, after }: SlotChange): boolean {
  if (!before || !after) return true;
  return (
    before.roleID !== after.roleID ||
    !areEqualLists(before.addresses, after.addresses) ||
    before.nebulaVersion !== after.nebulaVersion ||
    before.certificate?.caID !== after.certificate?.caID ||
    !areEqualLists(before.tags, after.tags)
  );
}

const areEqualLists = (a: readonly string[], b: readonly string[]) =>
  a === b || (a.length === b.length && a.every((item, index) => item === b[index]));

/** Hosts with a certificate of a CA that is trusted only before or only after. */
function findTrustChanges(before: AccessNetwork, after: AccessNetwork): SlotChange[] {
  if (before.trustedCaIDs === after.trustedCaIDs) return [];
  const table = tableOf(after);
  return [...table.slotsByCa.entries()]
    .filter(([caID]) => before.trustedCaIDs.has(caID) !== after.trustedCaIDs.has(caID))
    .flatMap(([, slots]) =>
      Array.from(slots, (slot) => ({
        slot,
        before: hostAt(tableOf(before), slot),
        after: hostAt(table, slot),
      })),
    );
}

function findHostsOfParts(before: AccessNetwork, after: AccessNetwork, changed: ChangedParts): Bits {
  const { slotsByRole, slotsByTag, slotByID, used } = tableOf(after);
  const size = used.length * 32;
  const sets = [
    ...[...changed.roleIDs].flatMap((id) => slotsByRole.get(id) ?? []),
    ...[...changed.tags].flatMap((name) => slotsByTag.get(name) ?? []),
  ].map((slots) => toBits(slots, size));
  const routers = noBits(size);
  for (const { id, routerHostID } of [...before.routes, ...after.routes]) {
    const slot = changed.routeIDs.has(id) ? slotByID.get(routerHostID) : undefined;
    if (slot !== undefined) addBit(routers, slot);
  }
  return sets.reduce(uniteBits, routers);
}

function areRoutesAffected(
  before: AccessNetwork,
  after: AccessNetwork,
  changed: ChangedParts,
  destinations: Bits,
): boolean {
  if (changed.routeIDs.size > 0 || !areEqualLists(before.cidrs, after.cidrs)) return true;
  const haveUsersChanged = [...changed.tags].some(
    (name) => !areEqualLists(before.tags.get(name)?.routeIDs ?? [], after.tags.get(name)?.routeIDs ?? []),
  );
  return haveUsersChanged || [before, after].some((network) => hasRouterIn(network, destinations));
}

function hasRouterIn(network: AccessNetwork, positions: Bits): boolean {
  const { slotByID } = tableOf(network);
  return [...indexNetwork(network).routesByRouterID.keys()].some((id) => {
    const slot = slotByID.get(id);
    return slot !== undefined && hasBit(positions, slot);
  });
}
