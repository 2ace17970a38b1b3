import { randomFillSync } from "node:crypto";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** RFC 4648 base32 without padding. */
export function base32(bytes: Uint8Array): string {
  let text = "";
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(buffer >> bits) & 31];
    }
  }
  return bits > 0 ? text + ALPHABET[(buffer << (5 - bits)) & 31] : text;
}

export type IdPrefix =
  | "org"
  | "user"
  | "network"
  | "host"
  | "role"
  | "route"
  | "job"
  | "ca"
  | "log"
  | "lkkey"
  | "totp"
  | "session"
  | "oidc"
  | "oidcuser"
  | "eoidcuser"
  | "invite"
  | "devicerequest"
  | "req";

const ID_BYTES = 16;
/** Drawn for many at once: each draw costs more than the bytes. */
const drawn = Buffer.alloc(256 * ID_BYTES);
let used = drawn.length;

function randomBits(): Uint8Array {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  used += ID_BYTES;
  return drawn.subarray(used - ID_BYTES, used);
}

/** 128 random bits behind a prefix that says what it names. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}-${base32(randomBits())}`;
}
