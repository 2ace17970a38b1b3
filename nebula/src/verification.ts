// Fingerprints, and whether a node that trusts a CA accepts a certificate. Needs node:crypto, as ca.ts does.

import crypto from "node:crypto";
import { encodeCertificateV1, encodeDetailsV1 } from "./certificate-v1.ts";
import type { CertificateV1 } from "./certificate-v1.ts";
import { encodeFingerprintBytesV2, encodeSignedBytesV2 } from "./certificate-v2.ts";
import type { CertificateV2, DetailsV2 } from "./certificate-v2.ts";
import { ipPrefixContains, toIpPrefix } from "./ip-prefixes.ts";
import type { IpPrefix } from "./ip-prefixes.ts";
import { isSignedBy } from "./signing-keys.ts";

export type Fault =
  | "invalidCa"
  | "otherIssuer"
  | "caOutOfDate"
  | "outOfDate"
  | "badSignature"
  | "outsideCaLifetime"
  | "groupNotAllowed"
  | "networkNotAllowed"
  | "unsafeNetworkNotAllowed";

export type Verification = { readonly ok: true } | { readonly ok: false; readonly fault: Fault };

interface Signed {
  readonly details: Omit<DetailsV2, "publicKey">;
  readonly publicKey: Uint8Array;
  readonly signedBytes: Uint8Array;
  readonly signature: Uint8Array;
}

/** SHA-256 over details and signature, in lower-case hex. */
export function fingerprintV1(certificate: CertificateV1): string {
  return sha256(encodeCertificateV1(certificate));
}

/** SHA-256 over details, curve, public key and signature, in lower-case hex. */
export function fingerprintV2(certificate: CertificateV2): string {
  return sha256(encodeFingerprintBytesV2(certificate));
}

/** What a Nebula node that trusts `ca` checks at that instant, in its order; a blocklist is not consulted. */
export function verifyV1(options: { certificate: CertificateV1; ca: CertificateV1; at: Date }): Verification {
  const { certificate, ca, at } = options;
  return toVerification(findFault(ofV1(certificate), ofV1(ca), fingerprintV1(ca), at));
}

/** As `verifyV1`. */
export function verifyV2(options: { certificate: CertificateV2; ca: CertificateV2; at: Date }): Verification {
  const { certificate, ca, at } = options;
  return toVerification(findFault(ofV2(certificate), ofV2(ca), fingerprintV2(ca), at));
}

export function sha256(bytes: Uint8Array): string {
  return crypto.createHash("sha256").update(bytes).digest("hex");
}

function findFault(certificate: Signed, ca: Signed, caFingerprint: string, at: Date): Fault | undefined {
  const { details } = certificate;
  const limits = ca.details;
  if (!limits.isCa || !hasSignatureOf(ca, ca.publicKey)) return "invalidCa";
  if (details.issuer !== caFingerprint) return "otherIssuer";
  if (!isInForce(limits, at)) return "caOutOfDate";
  if (!isInForce(details, at)) return "outOfDate";
  if (!hasSignatureOf(certificate, ca.publicKey)) return "badSignature";
  if (details.notBefore < limits.notBefore || details.notAfter > limits.notAfter) return "outsideCaLifetime";
  if (limits.groups.length > 0 && !details.groups.every((group) => limits.groups.includes(group))) {
    return "groupNotAllowed";
  }
  if (!areWithin(details.networks, limits.networks)) return "networkNotAllowed";
  if (!areWithin(details.unsafeNetworks, limits.unsafeNetworks)) return "unsafeNetworkNotAllowed";
  return undefined;
}

function toVerification(fault: Fault | undefined): Verification {
  return fault === undefined ? { ok: true } : { ok: false, fault };
}

function ofV1({ details, signature }: CertificateV1): Signed {
  return {
    details: {
      ...details,
      networks: details.networks.map(toIpPrefix),
      unsafeNetworks: details.unsafeNetworks.map(toIpPrefix),
    },
    publicKey: details.publicKey,
    signedBytes: encodeDetailsV1(details),
    signature,
  };
}

function ofV2({ details, signature }: CertificateV2): Signed {
  return { details, publicKey: details.publicKey, signedBytes: encodeSignedBytesV2(details), signature };
}

function areWithin(networks: readonly IpPrefix[], limits: readonly IpPrefix[]): boolean {
  if (limits.length === 0) return true;
  return networks.every((network) => limits.some((limit) => ipPrefixContains(limit, network)));
}

function isInForce(details: { notBefore: Date; notAfter: Date }, at: Date): boolean {
  return details.notBefore <= at && at <= details.notAfter;
}

function hasSignatureOf({ signedBytes, signature }: Signed, publicKey: Uint8Array): boolean {
  return isSignedBy(signedBytes, signature, publicKey);
}
