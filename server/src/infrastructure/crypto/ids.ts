import type { IdPrefix } from "@lightkeeper/contract";
import { randomFillSync } from "node:crypto";

const ALPHABET = Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567");

/** RFC 4648 base32 without padding. Built from bytes: V8 keeps a string that is built with += as one object per letter. */
export function base32(bytes: Uint8Array): string {
  const text = Buffer.alloc(Math.ceil((bytes.length * 8) / 5));
  let length = 0;
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text[length++] = ALPHABET[(buffer >> bits) & 31]!;
    }
  }
  if (bits > 0) text[length] = ALPHABET[(buffer << (5 - bits)) & 31]!;
  return text.toString("latin1");
}

const ID_BYTES = 16;
/** Filled for many IDs at a time: the call costs more than the bytes. */
const randomPool = Buffer.alloc(256 * ID_BYTES);
let used = randomPool.length;

function randomBits(): Uint8Array {
  if (used === randomPool.length) {
    randomFillSync(randomPool);
    used = 0;
  }
  used += ID_BYTES;
  return randomPool.subarray(used - ID_BYTES, used);
}

/** A prefix for the kind of object, then 128 random bits. */
export function newId(prefix: IdPrefix | "req"): string {
  return `${prefix}-${base32(randomBits())}`;
}
