import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** A bearer secret: 32 random bytes. Only `hashToken` of it is ever stored. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** A token for the command line, where a leading dash would make it an option. */
export function newCode(): string {
  const code = newToken();
  return code.startsWith("-") ? newCode() : code;
}

export function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

export function areHashesEqual(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
