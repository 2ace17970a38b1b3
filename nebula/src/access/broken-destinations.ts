// Which destinations break a guarantee together with a single source, found by the roles and tags that allow it.

import {
  addBit,
  addBits,
  hasBit,
  intersectBits,
  noBits,
  positionsOf,
  removeBit,
  subtractBits,
} from "./bits.ts";
import type { Bits } from "./bits.ts";
import { findBrokenSources, findHostOpenings } from "./broken-pairs.ts";
import type { ClassView } from "./classes.ts";
import { familiesOf } from "./families.ts";
import { guaranteedTraffic, viewForGuarantee } from "./guarantee.ts";
import type { AccessGuarantee } from "./guarantee.ts";
import { indexNetwork, tableOf } from "./network-index.ts";
import type { AccessHost, AccessNetwork } from "./network.ts";
import { coversTraffic, overlaps } from "./port-ranges.ts";
import { hostsOfOwner } from "./rule-owners.ts";
import type { AllowingOwner } from "./rule-owners.ts";

type FindOwners = (network: AccessNetwork, host: AccessHost) => readonly AllowingOwner[];

/** The destinations among the given ones, which may contain the source itself. */
export function findBrokenDestinations(
  network: AccessNetwork,
  guarantee: AccessGuarantee,
  source: number,
  destinations: Bits,
  findOwners: FindOwners,
): Bits {
  const view = viewForGuarantee(network, guarantee);
  const host = view.hostAt(source)!;
  const owners = view.isConnected(host) ? findOwners(network, host) : [];
  const broken =
    guarantee.type === "MUST_NEVER_REACH"
      ? intersectBits(destinations, findReached(view, guarantee, host, owners).partly)
      : subtractBits(destinations, findFullyReached(view, guarantee, host, owners));
  return correctRouters(view, guarantee, source, destinations, broken);
}

/** Hosts of roles and tags that allow a part of the traffic, and of those that allow all of it. */
function findReached(
  view: ClassView,
  guarantee: AccessGuarantee,
  source: AccessHost,
  owners: readonly AllowingOwner[],
): { partly: Bits; fully: Bits } {
  const traffic = guaranteedTraffic(guarantee);
  const [partly, fully] = [noBits(view.size), noBits(view.size)];
  for (const allowing of owners) {
    const hosts = overlaps(allowing.traffic, traffic) ? hostsOfOwner(view, allowing.owner) : undefined;
    if (!hosts) continue;
    addBits(partly, hosts);
    if (coversTraffic(allowing.traffic, traffic)) addBits(fully, hosts);
  }
  const without = view.without(familiesOf(source));
  const reachable = without ? subtractBits(view.connected, without) : view.connected;
  return { partly: intersectBits(partly, reachable), fully: intersectBits(fully, reachable) };
}

/** A role and tags that each allow a part may allow all of the traffic together. */
function findFullyReached(
  view: ClassView,
  guarantee: AccessGuarantee,
  source: AccessHost,
  owners: readonly AllowingOwner[],
): Bits {
  const { partly, fully } = findReached(view, guarantee, source, owners);
  const traffic = guaranteedTraffic(guarantee);
  for (const position of positionsOf(subtractBits(partly, fully))) {
    const host = view.hostAt(position)!;
    const ranges = owners
      .filter(({ owner }) =>
        owner.kind === "role" ? host.roleID === owner.key : host.tags.includes(owner.key),
      )
      .flatMap((allowing) => allowing.traffic);
    if (coversTraffic(ranges, traffic)) addBit(fully, position);
  }
  return fully;
}

/** A router's own address is also subject to the rules of its routes. */
function correctRouters(
  view: ClassView,
  guarantee: AccessGuarantee,
  source: number,
  destinations: Bits,
  broken: Bits,
): Bits {
  const { slotByID } = tableOf(view.network);
  const sources = noBits(view.size);
  addBit(sources, source);
  for (const id of indexNetwork(view.network).routesByRouterID.keys()) {
    const position = slotByID.get(id);
    if (position === undefined || !hasBit(destinations, position)) continue;
    const openings = findHostOpenings(view, guarantee, view.hostAt(position)!);
    if (hasBit(findBrokenSources(guarantee, openings, sources), source)) addBit(broken, position);
    else removeBit(broken, position);
  }
  return broken;
}
