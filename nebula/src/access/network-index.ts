import { formatIp, parseIp } from "../ip-prefixes.ts";
import { groupBy } from "./group-by.ts";
import { createHostTable, hostAt, listHosts } from "./host-table.ts";
import type { HostTable } from "./host-table.ts";
import type { AccessHost, AccessNetwork, AccessRoute } from "./network.ts";
import { NO_SLOTS } from "./slots.ts";
import type { Slots } from "./slots.ts";

export interface NetworkIndex {
  readonly byID: { get(id: string): AccessHost | undefined };
  /** By an address in any form. */
  readonly byAddress: { get(address: string): AccessHost | undefined };
  readonly routesByRouterID: ReadonlyMap<string, readonly AccessRoute[]>;
  readonly hostsWithRole: (roleID: string) => readonly AccessHost[];
  readonly hostsWithTag: (tag: string) => readonly AccessHost[];
}

const indexes = new WeakMap<AccessNetwork, NetworkIndex>();
const tablesOfNetworks = new WeakMap<AccessNetwork, HostTable>();
const tablesOfHosts = new WeakMap<readonly AccessHost[], HostTable>();

/** Finds hosts and routes without searching. Networks don't change, so each index is built once. */
export function indexNetwork(network: AccessNetwork): NetworkIndex {
  const known = indexes.get(network);
  if (known) return known;
  const table = tableOf(network);
  const find = (slot: number | undefined) => (slot === undefined ? undefined : hostAt(table, slot));
  const list = (slots: Slots = NO_SLOTS) => Array.from(slots, (slot) => hostAt(table, slot)!);
  const index: NetworkIndex = {
    byID: { get: (id) => find(table.slotByID.get(id)) },
    byAddress: { get: (address) => find(table.slotByAddress.get(toCanonicalAddress(address))) },
    routesByRouterID: groupRoutes(network.routes),
    hostsWithRole: (roleID) => list(table.slotsByRole.get(roleID)),
    hostsWithTag: (tag) => list(table.slotsByTag.get(tag)),
  };
  indexes.set(network, index);
  return index;
}

/** IPv6 addresses have many forms. */
export function toCanonicalAddress(text: string): string {
  const address = text.includes(":") ? parseIp(text) : undefined;
  return address === undefined ? text : formatIp(address);
}

/** Networks with the same hosts share a table. */
export function tableOf(network: AccessNetwork): HostTable {
  const known = tablesOfNetworks.get(network);
  if (known) return known;
  const table = tablesOfHosts.get(network.hosts) ?? createHostTable(network.hosts);
  tablesOfNetworks.set(network, table);
  tablesOfHosts.set(network.hosts, table);
  return table;
}

/** A network whose list of hosts is built on first use. */
export function createNetwork(parts: Omit<AccessNetwork, "hosts">, table: HostTable): AccessNetwork {
  const network: AccessNetwork = {
    ...parts,
    get hosts() {
      const hosts = listHosts(table);
      tablesOfHosts.set(hosts, table);
      return hosts;
    },
  };
  tablesOfNetworks.set(network, table);
  return network;
}

const routesByRouter = new WeakMap<readonly AccessRoute[], ReadonlyMap<string, readonly AccessRoute[]>>();

function groupRoutes(routes: readonly AccessRoute[]): ReadonlyMap<string, readonly AccessRoute[]> {
  const known = routesByRouter.get(routes);
  if (known) return known;
  const groups = new Map(
    groupBy(routes, ({ routerHostID }) => routerHostID).map((group) => [group[0]!.routerHostID, group]),
  );
  routesByRouter.set(routes, groups);
  return groups;
}
