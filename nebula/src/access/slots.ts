// Sets of positions in a host table, in ascending order. A set never changes, so results can be cached by its identity.

import { addBit, noBits } from "./bits.ts";
import type { Bits } from "./bits.ts";

export type Slots = Uint32Array;

export const NO_SLOTS: Slots = new Uint32Array(0);

/** Adds the slots with true and removes those with false. Copies whole segments between the changes. */
export function changeSlots(slots: Slots, changes: ReadonlyMap<number, boolean>): Slots {
  const changed = new Uint32Array(slots.length + changes.size);
  let [length, copied] = [0, 0];
  for (const [slot, isMember] of [...changes].toSorted(([a], [b]) => a - b)) {
    const position = findPosition(slots, slot);
    changed.set(slots.subarray(copied, position), length);
    length += position - copied;
    copied = slots[position] === slot ? position + 1 : position;
    if (isMember) {
      changed[length] = slot;
      length += 1;
    }
  }
  changed.set(slots.subarray(copied), length);
  return changed.slice(0, length + slots.length - copied);
}

/** The position of the slot, or of the first larger one. */
function findPosition(slots: Slots, slot: number): number {
  let [low, high] = [0, slots.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (slots[middle]! < slot) low = middle + 1;
    else high = middle;
  }
  return low;
}

const bitsOfSlots = new WeakMap<Slots, Bits>();

/** The same set as bits, one for each of the table's slots. */
export function toBits(slots: Slots, size: number): Bits {
  const known = bitsOfSlots.get(slots);
  if (known && known.length === Math.ceil(size / 32)) return known;
  const bits = noBits(size);
  for (let index = 0; index < slots.length; index += 1) addBit(bits, slots[index]!);
  bitsOfSlots.set(slots, bits);
  return bits;
}
