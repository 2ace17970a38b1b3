// What both certificate versions have in common.

import { curveOf } from "./curves.ts";
import { isEcdsaSignature } from "./ecdsa-signatures.ts";
import { FormatError } from "./format-error.ts";

const ED25519_SIGNATURE_LENGTH = 64;
export const FINGERPRINT = /^[0-9a-f]{64}$/;

export interface CommonDetails {
  readonly name: string;
  readonly groups: readonly string[];
  /** Truncated to whole seconds. */
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Its length tells the curve. */
  readonly publicKey: Uint8Array;
  readonly isCa: boolean;
  /** The CA's fingerprint in lower-case hex; undefined on a CA. */
  readonly issuer: string | undefined;
}

const LONE_SURROGATE = /\p{Surrogate}/u;

export function check(holds: boolean, rule: string): void {
  if (!holds) throw new FormatError(rule);
}

/** A CA has the curve of the certificates it signs, so the public key tells which signature is expected. */
export function checkSignature(signature: Uint8Array, publicKey: Uint8Array): void {
  if (curveOf(publicKey) === "P256")
    check(isEcdsaSignature(signature), "a signature must be one of curve P256");
  else
    check(
      signature.length === ED25519_SIGNATURE_LENGTH,
      `a signature must have ${ED25519_SIGNATURE_LENGTH} bytes`,
    );
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
