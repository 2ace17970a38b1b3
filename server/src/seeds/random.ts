/** Deterministic random numbers for a name. Never use them for secrets. */
import { createHash } from "node:crypto";
import type { IdPrefix } from "@lightkeeper/contract";
import { base32 } from "../infrastructure/crypto/ids.ts";

export interface Random {
  /** At least 0 and less than 1. */
  next: () => number;
  /** An integer from 0 to limit - 1. */
  below: (limit: number) => number;
  /** True with this probability. */
  chance: (probability: number) => boolean;
  pick: <T>(choices: readonly T[]) => T;
  bytes: (length: number) => Uint8Array;
  id: (prefix: IdPrefix) => string;
}

const ID_BYTES = 16;

export function createRandom(name: string): Random {
  const next32 = createXoshiro(createHash("sha256").update(name).digest());
  const next = () => next32() / 2 ** 32;
  const below = (limit: number) => Math.floor(next() * limit);
  const bytes = (length: number) => {
    const integers = Uint32Array.from({ length: Math.ceil(length / 4) }, next32);
    return new Uint8Array(integers.buffer, 0, length);
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

const rotate = (value: number, by: number) => (value << by) | (value >>> (32 - by));

/** xoshiro128**, 32 bits at a time. */
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
