// The hosts of a network, in slots that they keep as long as they exist. A table never changes: a changed one copies
// only the chunks and the sets that differ, so its cost doesn't depend on the number of hosts.

import { addBit, noBits, removeBit, resizeBits } from "./bits.ts";
import type { Bits } from "./bits.ts";
import { ALL_FAMILIES, familiesOf, IPV4, IPV6 } from "./families.ts";
import type { Families } from "./families.ts";
import { PersistentMap } from "./persistent-map.ts";
import { changeSlots, NO_SLOTS } from "./slots.ts";
import type { Slots } from "./slots.ts";
import type { AccessHost } from "./network.ts";

export const CHUNK_SIZE = 512;

export interface HostTable {
  readonly chunks: readonly (readonly (AccessHost | undefined)[])[];
  /** All slots, also those of deleted hosts. */
  readonly slotCount: number;
  readonly hostCount: number;
  readonly slotByID: PersistentMap<number>;
  readonly slotByAddress: PersistentMap<number>;
  readonly slotsByRole: PersistentMap<Slots>;
  readonly slotsByTag: PersistentMap<Slots>;
  /** By the ID of the CA that signed their certificate. */
  readonly slotsByCa: PersistentMap<Slots>;
  /** By the families of their addresses, without the hosts that have only IPv4: in most networks, all of them. */
  readonly slotsByFamilies: PersistentMap<Slots>;
  /** The slots that have a host. */
  readonly used: Bits;
}

/** How many bits a set of the table's hosts has, which changes rarely. */
export const capacityOf = ({ chunks }: Pick<HostTable, "chunks">): number => chunks.length * CHUNK_SIZE;

export const hostAt = ({ chunks }: HostTable, slot: number): AccessHost | undefined =>
  chunks[Math.floor(slot / CHUNK_SIZE)]?.[slot % CHUNK_SIZE];

export function createHostTable(hosts: readonly AccessHost[]): HostTable {
  const chunks = Array.from({ length: Math.ceil(hosts.length / CHUNK_SIZE) }, (_, index) =>
    hosts.slice(index * CHUNK_SIZE, (index + 1) * CHUNK_SIZE),
  );
  const createSets = () => new Map<string, number[]>();
  const [roles, tags, cas, families] = [createSets(), createSets(), createSets(), createSets()];
  const addresses: [string, number][] = [];
  const used = noBits(capacityOf({ chunks }));
  const add = (sets: Map<string, number[]>, key: string, slot: number) => {
    const slots = sets.get(key);
    if (!slots) sets.set(key, [slot]);
    else if (slots.at(-1) !== slot) slots.push(slot);
  };
  const toSlots = (sets: Map<string, number[]>) =>
    PersistentMap.from(
      [...sets].map(([key, slots]): [string, Slots] => [key, Uint32Array.from(slots)]),
      sets.size,
    );
  for (const [slot, host] of hosts.entries()) {
    const { roleID, tags: names, certificate } = host;
    addBit(used, slot);
    for (const address of host.addresses) addresses.push([address, slot]);
    for (const key of familyKeys(host)) add(families, key, slot);
    if (certificate) add(cas, certificate.caID, slot);
    if (roleID !== null) add(roles, roleID, slot);
    for (const name of names) add(tags, name, slot);
  }
  return {
    chunks,
    slotCount: hosts.length,
    hostCount: hosts.length,
    slotByID: PersistentMap.from(
      hosts.map(({ id }, slot): [string, number] => [id, slot]),
      hosts.length,
    ),
    slotByAddress: PersistentMap.from(addresses, addresses.length),
    slotsByRole: toSlots(roles),
    slotsByTag: toSlots(tags),
    slotsByCa: toSlots(cas),
    slotsByFamilies: toSlots(families),
    used,
  };
}

const NO_KEYS: readonly string[] = [];

function familyKeys(host: AccessHost): readonly string[] {
  const families = familiesOf(host);
  return families === IPV4 ? NO_KEYS : [String(families)];
}

/** The hosts that have addresses of these families and no other; not for IPv4 alone. */
export const slotsWithFamilies = ({ slotsByFamilies }: HostTable, families: Families): Slots =>
  slotsByFamilies.get(String(families)) ?? NO_SLOTS;

/** Every set of families that some host has. */
export function listFamilySets(table: HostTable): Families[] {
  const counts = [IPV6, ALL_FAMILIES].map((families) => slotsWithFamilies(table, families).length);
  const [ipv6Only = 0, both = 0] = counts;
  const sets = [
    { families: IPV4, count: table.hostCount - ipv6Only - both },
    { families: IPV6, count: ipv6Only },
    { families: ALL_FAMILIES, count: both },
  ];
  return sets.filter(({ count }) => count > 0).map(({ families }) => families);
}

const lists = new WeakMap<HostTable, readonly AccessHost[]>();

export function listHosts(table: HostTable): readonly AccessHost[] {
  const known = lists.get(table);
  if (known) return known;
  const hosts = table.chunks.flatMap((chunk) => chunk.filter((host) => host !== undefined));
  lists.set(table, hosts);
  return hosts;
}

/** A host that differs between two tables. */
export interface SlotChange {
  readonly slot: number;
  readonly before: AccessHost | undefined;
  readonly after: AccessHost | undefined;
}

/** Undefined deletes a host. */
export function changeHosts(table: HostTable, hosts: ReadonlyMap<string, AccessHost | undefined>): HostTable {
  const changed = changeSlotsOfHosts(table, hosts);
  // Deleted hosts leave empty slots behind, which every set of hosts would contain.
  const isSparse = changed.slotCount > changed.hostCount * 2 + CHUNK_SIZE;
  return isSparse ? createHostTable(listHosts(changed)) : changed;
}

/** All hosts keep their slots, however many are empty. */
export function changeSlotsOfHosts(
  table: HostTable,
  hosts: ReadonlyMap<string, AccessHost | undefined>,
): HostTable {
  let { slotCount } = table;
  const changes: SlotChange[] = [];
  for (const [id, after] of hosts) {
    const known = table.slotByID.get(id);
    const before = known === undefined ? undefined : hostAt(table, known);
    if (before === after) continue;
    changes.push({ slot: known ?? slotCount, before, after });
    if (known === undefined) slotCount += 1;
  }
  if (changes.length === 0) return table;
  const hostCount = changes.reduce(
    (count, { before, after }) => count + Number(after !== undefined) - Number(before !== undefined),
    table.hostCount,
  );
  const chunks = changeChunks(table.chunks, changes);
  return {
    chunks,
    slotCount,
    hostCount,
    slotByID: table.slotByID.change(keyChanges(changes, ({ id }) => [id])),
    slotByAddress: table.slotByAddress.change(keyChanges(changes, ({ addresses }) => addresses)),
    slotsByRole: changeSets(table.slotsByRole, changes, ({ roleID }) => (roleID === null ? [] : [roleID])),
    slotsByTag: changeSets(table.slotsByTag, changes, ({ tags }) => tags),
    slotsByCa: changeSets(table.slotsByCa, changes, ({ certificate }) =>
      certificate ? [certificate.caID] : [],
    ),
    slotsByFamilies: changeSets(table.slotsByFamilies, changes, familyKeys),
    used: changeUsed(table.used, capacityOf({ chunks }), changes),
  };
}

function changeChunks(chunks: HostTable["chunks"], changes: readonly SlotChange[]): HostTable["chunks"] {
  const changed = [...chunks];
  const copies = new Map<number, (AccessHost | undefined)[]>();
  for (const { slot, after } of changes) {
    const position = Math.floor(slot / CHUNK_SIZE);
    const chunk = copies.get(position) ?? [...(chunks[position] ?? [])];
    copies.set(position, chunk);
    changed[position] = chunk;
    chunk[slot % CHUNK_SIZE] = after;
  }
  return changed;
}

function changeUsed(used: Bits, size: number, changes: readonly SlotChange[]): Bits {
  const moved = changes.filter(({ before, after }) => !before || !after);
  if (moved.length === 0) return used;
  const changed = resizeBits(used, size);
  for (const { slot, after } of moved) {
    if (after) addBit(changed, slot);
    else removeBit(changed, slot);
  }
  return changed;
}

/** Contains only what differs: most changes keep IDs and addresses. */
function keyChanges(
  changes: readonly SlotChange[],
  keysOf: (host: AccessHost) => readonly string[],
): Map<string, number | undefined> {
  const keys = new Map<string, number | undefined>();
  const areSame = (a: readonly string[], b: readonly string[]) =>
    a.length === b.length && a.every((key, index) => key === b[index]);
  const moved = changes.filter(
    ({ before, after }) => !before || !after || !areSame(keysOf(before), keysOf(after)),
  );
  for (const { before } of moved) if (before) for (const key of keysOf(before)) keys.set(key, undefined);
  // A key that one host gives up may go to another one.
  for (const { after, slot } of moved) if (after) for (const key of keysOf(after)) keys.set(key, slot);
  return keys;
}

function changeSets(
  sets: PersistentMap<Slots>,
  changes: readonly SlotChange[],
  keysOf: (host: AccessHost) => readonly string[],
): PersistentMap<Slots> {
  const changesByKey = new Map<string, Map<number, boolean>>();
  const mark = (key: string, slot: number, isMember: boolean) => {
    const marked = changesByKey.get(key) ?? new Map<number, boolean>();
    changesByKey.set(key, marked.set(slot, isMember));
  };
  for (const { slot, before, after } of changes) {
    const [was, is] = [before ? keysOf(before) : [], after ? keysOf(after) : []];
    for (const key of was) if (!is.includes(key)) mark(key, slot, false);
    for (const key of is) if (!was.includes(key)) mark(key, slot, true);
  }
  return sets.change(
    new Map(
      [...changesByKey].map(([key, marked]) => {
        const slots = changeSlots(sets.get(key) ?? NO_SLOTS, marked);
        return [key, slots.length === 0 ? undefined : slots];
      }),
    ),
  );
}
