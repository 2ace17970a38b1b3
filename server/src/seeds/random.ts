/** Numbers that look random and are the same for the same name. Never for secrets. */
import { createHash } from "node:crypto";
import { base32, type IdPrefix } from "../infrastructure/crypto/ids.ts";

export interface Random {
  /** At least 0 and less than 1. */
  next: () => number;
  /** A whole number from 0 up to, and without, the limit. */
  below: (limit: number) => number;
  /** True this often: 0 never, 1 always. */
  chance: (probability: number) => boolean;
  pick: <T>(choices: readonly T[]) => T;
  bytes: (length: number) => Uint8Array;
  id: (prefix: IdPrefix | "eoidcuser") => string;
}

const ID_BYTES = 16;

export function createRandom(name: string): Random {
  const next32 = createXoshiro(createHash("sha256").update(name).digest());
  const next = () => next32() / 2 ** 32;
  const below = (limit: number) => Math.floor(next() * limit);
  const bytes = (length: number) => {
    const words = Uint32Array.from({ length: Math.ceil(length / 4) }, next32);
    return new Uint8Array(words.buffer, 0, length);
  };
  return {
    next,
    below,
    bytes,
    chance: (probability) => next() < probability,
    pick: <T>(choices: readonly T[]) => choices[below(choices.length)] as T,
    id: (prefix) => `${prefix}-${base32(bytes(ID_BYTES))}`,
  };
}

const rotate = (word: number, by: number) => (word << by) | (word >>> (32 - by));

/** xoshiro128**: 32 bits at a time, far more of them than anybody asks for. */
function createXoshiro(seed: Buffer): () => number {
  let [a, b, c, d] = [0, 4, 8, 12].map((offset) => seed.readInt32LE(offset)) as [
    number,
    number,
    number,
    number,
  ];
  return () => {
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9);
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotate(d, 11);
    return result >>> 0;
  };
}
