// Sets of small numbers, such as positions in a list of classes. Operations on whole sets handle 32 numbers at a time.

const WORD = 32;

export type Bits = Uint32Array;

export const noBits = (size: number): Bits => new Uint32Array(Math.ceil(size / WORD));

export function addBit(bits: Bits, position: number): void {
  bits[position >>> 5]! |= 1 << (position & 31);
}

export const hasBit = (bits: Bits, position: number): boolean =>
  ((bits[position >>> 5] ?? 0) & (1 << (position & 31))) !== 0;

export const intersectBits = (a: Bits, b: Bits): Bits => a.map((word, index) => word & b[index]!);
export const uniteBits = (a: Bits, b: Bits): Bits => a.map((word, index) => word | b[index]!);
export const subtractBits = (a: Bits, b: Bits): Bits => a.map((word, index) => word & ~b[index]!);
export const isEmptyBits = (bits: Bits): boolean => bits.every((word) => word === 0);

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
