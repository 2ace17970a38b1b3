import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** A bearer secret: 32 random bytes. Only `hashToken` of it is ever stored. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** One to be typed on a command line, where a dash at its beginning would make it an option. */
export function newCode(): string {
  const code = newToken();
  return code.startsWith("-") ? newCode() : code;
}

export function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

export function sameHash(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
