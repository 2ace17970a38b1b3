// Which hosts differ between two networks.

import { changeSlotsOfHosts, CHUNK_SIZE } from "./host-table.ts";
import type { HostTable, SlotChange } from "./host-table.ts";
import { createNetwork, tableOf } from "./network-index.ts";
import type { AccessNetwork } from "./network.ts";

export interface AlignedNetworks {
  readonly before: AccessNetwork;
  /** The same as the given network, maybe with its hosts in other slots. */
  readonly after: AccessNetwork;
  readonly changes: readonly SlotChange[];
}

/** Compares hosts by slots, which takes almost no time if one network is derived from the other. */
export function alignNetworks(before: AccessNetwork, after: AccessNetwork): AlignedNetworks {
  const table = tableOf(before);
  const changes = findSlotChanges(table, tableOf(after));
  if (areAligned(changes)) return { before, after, changes };
  const hosts = new Map(after.hosts.map((host) => [host.id, host]));
  const ids = [...before.hosts, ...after.hosts].map(({ id }) => id);
  const aligned = changeSlotsOfHosts(table, new Map(ids.map((id) => [id, hosts.get(id)])));
  const { cidrs, now, trustedCaIDs, roles, tags, routes } = after;
  return {
    before,
    after: createNetwork({ cidrs, now, trustedCaIDs, roles, tags, routes }, aligned),
    changes: findSlotChanges(table, aligned),
  };
}

function findSlotChanges(first: HostTable, second: HostTable): SlotChange[] {
  const changes: SlotChange[] = [];
  if (first === second) return changes;
  let start = 0;
  for (let position = 0; position < Math.max(first.chunks.length, second.chunks.length); position += 1) {
    const [was = [], is = []] = [first.chunks[position], second.chunks[position]];
    const count = was === is ? 0 : Math.max(was.length, is.length);
    for (let offset = 0; offset < count; offset += 1) {
      const [before, after] = [was[offset], is[offset]];
      if (before !== after) changes.push({ slot: start + offset, before, after });
    }
    start += CHUNK_SIZE;
  }
  return changes;
}

/** Networks of different origin may have the same host in different slots. */
function areAligned(changes: readonly SlotChange[]): boolean {
  const deleted = new Set<string>();
  for (const { before, after } of changes) if (before && before.id !== after?.id) deleted.add(before.id);
  return changes.every(
    ({ before, after }) => !after || after.id === before?.id || !(before || deleted.has(after.id)),
  );
}
