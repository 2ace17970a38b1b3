// Which hosts of a network can have tunnels.

import { addBit, noBits, removeBit, resizeBits } from "./bits.ts";
import type { Bits } from "./bits.ts";
import type { ClassView } from "./classes.ts";
import { capacityOf, CHUNK_SIZE } from "./host-table.ts";
import type { HostTable, SlotChange } from "./host-table.ts";
import { viewHosts } from "./host-view.ts";
import { tableOf } from "./network-index.ts";
import type { AccessNetwork } from "./network.ts";
import { findProblem } from "./verdict.ts";

interface ConnectedHosts {
  readonly now: Date;
  readonly trustedCaIDs: ReadonlySet<string>;
  readonly bits: Bits;
  readonly peers: ClassView["peers"];
}

const connectedOfTables = new WeakMap<HostTable, ConnectedHosts>();
const views = new WeakMap<AccessNetwork, ClassView>();

export function viewConnectedHosts(network: AccessNetwork): ClassView {
  const known = views.get(network);
  if (known) return known;
  const { bits, peers } = findConnected(network);
  const view = { ...viewHosts(network, bits, (host) => !findProblem(network, host)), peers };
  views.set(network, view);
  return view;
}

function findConnected(network: AccessNetwork): ConnectedHosts {
  const table = tableOf(network);
  const { now, trustedCaIDs } = network;
  const known = connectedOfTables.get(table);
  if (known?.now === now && known.trustedCaIDs === trustedCaIDs) return known;
  const bits = noBits(capacityOf(table));
  let start = 0;
  for (const chunk of table.chunks) {
    for (let offset = 0; offset < chunk.length; offset += 1) {
      const host = chunk[offset];
      if (host && !findProblem(network, host)) addBit(bits, start + offset);
    }
    start += CHUNK_SIZE;
  }
  const connected = { now, trustedCaIDs, bits, peers: new Map() };
  connectedOfTables.set(table, connected);
  return connected;
}

/** Derives the connected hosts of the second network, so that they need not be counted again. */
export function shareConnected(
  before: AccessNetwork,
  after: AccessNetwork,
  changes: readonly SlotChange[],
): void {
  const table = tableOf(after);
  const isShared = before.now === after.now && before.trustedCaIDs === after.trustedCaIDs;
  if (!isShared || table === tableOf(before) || connectedOfTables.has(table)) return;
  const size = Math.max(capacityOf(table), capacityOf(tableOf(before)));
  const bits = resizeBits(findConnected(before).bits, size);
  for (const { slot, after: host } of changes) {
    if (host && !findProblem(after, host)) addBit(bits, slot);
    else removeBit(bits, slot);
  }
  const { now, trustedCaIDs } = after;
  const resized = bits.slice(0, capacityOf(table) / 32);
  connectedOfTables.set(table, { now, trustedCaIDs, bits: resized, peers: new Map() });
}
