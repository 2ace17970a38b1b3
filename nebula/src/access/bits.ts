// Sets of small numbers, such as positions in a list of classes. Operations on whole sets handle 32 numbers at a time.

const WORD = 32;

export type Bits = Uint32Array;

export const noBits = (size: number): Bits => new Uint32Array(Math.ceil(size / WORD));

export function addBit(bits: Bits, position: number): void {
  bits[position >>> 5]! |= 1 << (position & 31);
}

export function removeBit(bits: Bits, position: number): void {
  bits[position >>> 5]! &= ~(1 << (position & 31));
}

export const hasBit = (bits: Bits, position: number): boolean =>
  ((bits[position >>> 5] ?? 0) & (1 << (position & 31))) !== 0;

// Loops are several times faster than the methods of typed arrays.

export function intersectBits(a: Bits, b: Bits): Bits {
  const bits = new Uint32Array(a.length);
  for (let index = 0; index < a.length; index += 1) bits[index] = a[index]! & b[index]!;
  return bits;
}

export function uniteBits(a: Bits, b: Bits): Bits {
  const bits = new Uint32Array(a.length);
  for (let index = 0; index < a.length; index += 1) bits[index] = a[index]! | b[index]!;
  return bits;
}

export function subtractBits(a: Bits, b: Bits): Bits {
  const bits = new Uint32Array(a.length);
  for (let index = 0; index < a.length; index += 1) bits[index] = a[index]! & ~b[index]!;
  return bits;
}

/** Adds all positions of the second set to the first, which changes. */
export function addBits(bits: Bits, added: Bits): void {
  for (let index = 0; index < bits.length; index += 1) bits[index]! |= added[index]!;
}

export function isEmptyBits(bits: Bits): boolean {
  for (let index = 0; index < bits.length; index += 1) if (bits[index] !== 0) return false;
  return true;
}

export function areEqualBits(a: Bits, b: Bits): boolean {
  if (a === b) return true;
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return false;
  return a.length === b.length;
}

export function areDisjointBits(a: Bits, b: Bits): boolean {
  for (let index = 0; index < a.length; index += 1) if ((a[index]! & b[index]!) !== 0) return false;
  return true;
}

export function countBits(bits: Bits): number {
  let count = 0;
  for (let index = 0; index < bits.length; index += 1)
    for (let word = bits[index]!; word !== 0; word &= word - 1) count += 1;
  return count;
}

/** Changes the size, which may not drop a position. */
export function resizeBits(bits: Bits, size: number): Bits {
  const resized = noBits(size);
  resized.set(bits);
  return resized;
}

/** The positions in the set, in ascending order. */
export function positionsOf(bits: Bits): number[] {
  const positions: number[] = [];
  for (let index = 0; index < bits.length; index += 1) {
    for (let word = bits[index]!; word !== 0; word &= word - 1) {
      positions.push(index * WORD + (WORD - 1 - Math.clz32(word & -word)));
    }
  }
  return positions;
}
