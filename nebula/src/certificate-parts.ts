// What both certificate versions have in common.

import { FormatError } from "./format-error.ts";

export const PUBLIC_KEY_LENGTH = 32;
export const SIGNATURE_LENGTH = 64;
export const FINGERPRINT = /^[0-9a-f]{64}$/;

export interface CommonDetails {
  readonly name: string;
  readonly groups: readonly string[];
  /** Truncated to whole seconds. */
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly publicKey: Uint8Array;
  readonly isCa: boolean;
  /** The CA's fingerprint in lower-case hex; undefined on a CA. */
  readonly issuer: string | undefined;
}

const LONE_SURROGATE = /\p{Surrogate}/u;

export function check(holds: boolean, rule: string): void {
  if (!holds) throw new FormatError(rule);
}

/** Verifiers encode a certificate again before they check it, so other encodings are invalid. */
export function assertCanonical(canonical: Uint8Array, bytes: Uint8Array): void {
  if (canonical.length !== bytes.length || canonical.some((byte, index) => byte !== bytes[index])) {
    throw new FormatError("the certificate has unknown fields or isn't in canonical form");
  }
}

/** UTF-8 can't encode a lone surrogate. */
export function isUnicode(text: string): boolean {
  return !LONE_SURROGATE.test(text);
}

export function toSeconds(instant: Date): number {
  return Math.floor(instant.getTime() / 1000);
}
