import { randomBytes } from "node:crypto";

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
  | "req";

/** 128 random bits behind a prefix that says what it names. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}-${base32(randomBytes(16))}`;
}
