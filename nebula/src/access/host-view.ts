// A network, seen host by host: the positions are the slots of its hosts.

import { subtractBits } from "./bits.ts";
import type { Bits } from "./bits.ts";
import type { ClassView } from "./classes.ts";
import { ALL_FAMILIES, IPV4, IPV6 } from "./families.ts";
import type { Families } from "./families.ts";
import { capacityOf, hostAt, slotsWithFamilies } from "./host-table.ts";
import type { HostTable } from "./host-table.ts";
import { tableOf } from "./network-index.ts";
import type { AccessHost, AccessNetwork } from "./network.ts";
import type { PersistentMap } from "./persistent-map.ts";
import { toBits } from "./slots.ts";
import type { Slots } from "./slots.ts";

export function viewHosts(
  network: AccessNetwork,
  connected: Bits,
  isConnected: (host: AccessHost) => boolean,
): ClassView {
  const table = tableOf(network);
  const size = capacityOf(table);
  const lookUp = (sets: PersistentMap<Slots>) => ({
    get: (key: string) => {
      const slots = sets.get(key);
      return slots && toBits(slots, size);
    },
  });
  return {
    network,
    size,
    hostAt: (position) => hostAt(table, position),
    isConnected,
    connected,
    byRole: lookUp(table.slotsByRole),
    byTag: lookUp(table.slotsByTag),
    without: (families) => findWithout(table, families),
    peers: new Map(),
  };
}

const withoutIpv6 = new WeakMap<HostTable, Bits>();

function findWithout(table: HostTable, families: Families): Bits | undefined {
  if (families === ALL_FAMILIES) return undefined;
  const ipv6Only = slotsWithFamilies(table, IPV6);
  if (families === IPV4) return ipv6Only.length === 0 ? undefined : toBits(ipv6Only, capacityOf(table));
  const both = slotsWithFamilies(table, ALL_FAMILIES);
  if (ipv6Only.length + both.length === table.hostCount) return undefined;
  const known =
    withoutIpv6.get(table) ??
    [ipv6Only, both].map((slots) => toBits(slots, capacityOf(table))).reduce(subtractBits, table.used);
  withoutIpv6.set(table, known);
  return known;
}

export const hasTrustedCa = ({ trustedCaIDs }: AccessNetwork, { certificate }: AccessHost): boolean =>
  certificate === undefined || trustedCaIDs.has(certificate.caID);

const viewsOfAll = new WeakMap<AccessNetwork, ClassView>();
const viewsOfTrusted = new WeakMap<AccessNetwork, ClassView>();

/** Every host counts, also if it can't have a tunnel at the moment. */
export function viewAllHosts(network: AccessNetwork): ClassView {
  const known = viewsOfAll.get(network);
  if (known) return known;
  const view = viewHosts(network, tableOf(network).used, () => true);
  viewsOfAll.set(network, view);
  return view;
}

/** Every host counts, except those with a certificate of a CA that isn't trusted. */
export function viewTrustedHosts(network: AccessNetwork): ClassView {
  const known = viewsOfTrusted.get(network);
  if (known) return known;
  const { slotsByCa, used } = tableOf(network);
  const untrusted = [...slotsByCa.entries()].filter(([caID]) => !network.trustedCaIDs.has(caID));
  const trusted = untrusted.reduce(
    (bits, [, slots]) => subtractBits(bits, toBits(slots, used.length * 32)),
    used,
  );
  const view =
    trusted === used
      ? viewAllHosts(network)
      : viewHosts(network, trusted, (host) => hasTrustedCa(network, host));
  viewsOfTrusted.set(network, view);
  return view;
}
