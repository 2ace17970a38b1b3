// Computes fingerprints and verifies certificates as a Nebula node does. Needs node:crypto, like ca.ts.

import crypto from "node:crypto";
import { encodeCertificateV1, encodeDetailsV1 } from "./certificate-v1.ts";
import type { CertificateV1 } from "./certificate-v1.ts";
import { encodeFingerprintBytesV2, encodeSignedBytesV2 } from "./certificate-v2.ts";
import type { CertificateV2, DetailsV2 } from "./certificate-v2.ts";
import { ipPrefixContains, toIpPrefix } from "./ip-prefixes.ts";
import type { IpPrefix } from "./ip-prefixes.ts";
import { curveOf } from "./curves.ts";
import { isSignedBy } from "./signing-keys.ts";

export type VerificationProblem =
  | "invalidCa"
  | "otherIssuer"
  | "otherCurve"
  | "caOutOfDate"
  | "outOfDate"
  | "badSignature"
  | "outsideCaLifetime"
  | "groupNotAllowed"
  | "networkNotAllowed"
  | "unsafeNetworkNotAllowed";

export type Verification =
  | { readonly ok: true }
  | { readonly ok: false; readonly problem: VerificationProblem };

interface SignedCertificate {
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

/** Makes the same checks as a Nebula node that trusts `ca`, in the same order, without a blocklist. */
export function verifyV1(options: { certificate: CertificateV1; ca: CertificateV1; at: Date }): Verification {
  const { certificate, ca, at } = options;
  return toVerification(findProblem(toSignedV1(certificate), toSignedV1(ca), fingerprintV1(ca), at));
}

/** Like `verifyV1`. */
export function verifyV2(options: { certificate: CertificateV2; ca: CertificateV2; at: Date }): Verification {
  const { certificate, ca, at } = options;
  return toVerification(findProblem(toSignedV2(certificate), toSignedV2(ca), fingerprintV2(ca), at));
}

export function sha256(bytes: Uint8Array): string {
  return crypto.createHash("sha256").update(bytes).digest("hex");
}

function findProblem(
  certificate: SignedCertificate,
  ca: SignedCertificate,
  caFingerprint: string,
  at: Date,
): VerificationProblem | undefined {
  const { details } = certificate;
  const limits = ca.details;
  if (!limits.isCa || !hasSignatureOf(ca, ca.publicKey)) return "invalidCa";
  if (details.issuer !== caFingerprint) return "otherIssuer";
  if (curveOf(certificate.publicKey) !== curveOf(ca.publicKey)) return "otherCurve";
  if (!isValidAt(limits, at)) return "caOutOfDate";
  if (!isValidAt(details, at)) return "outOfDate";
  if (!hasSignatureOf(certificate, ca.publicKey)) return "badSignature";
  if (details.notBefore < limits.notBefore || details.notAfter > limits.notAfter) return "outsideCaLifetime";
  if (limits.groups.length > 0 && !details.groups.every((group) => limits.groups.includes(group))) {
    return "groupNotAllowed";
  }
  if (!areWithin(details.networks, limits.networks)) return "networkNotAllowed";
  if (!areWithin(details.unsafeNetworks, limits.unsafeNetworks)) return "unsafeNetworkNotAllowed";
  return undefined;
}

function toVerification(problem: VerificationProblem | undefined): Verification {
  return problem === undefined ? { ok: true } : { ok: false, problem };
}

function toSignedV1({ details, signature }: CertificateV1): SignedCertificate {
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

function toSignedV2({ details, signature }: CertificateV2): SignedCertificate {
  return { details, publicKey: details.publicKey, signedBytes: encodeSignedBytesV2(details), signature };
}

function areWithin(networks: readonly IpPrefix[], limits: readonly IpPrefix[]): boolean {
  if (limits.length === 0) return true;
  return networks.every((network) => limits.some((limit) => ipPrefixContains(limit, network)));
}

function isValidAt(details: { notBefore: Date; notAfter: Date }, at: Date): boolean {
  return details.notBefore <= at && at <= details.notAfter;
}

function hasSignatureOf({ signedBytes, signature }: SignedCertificate, publicKey: Uint8Array): boolean {
  return isSignedBy(signedBytes, signature, publicKey);
}
