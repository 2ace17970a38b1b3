// Keys, signatures and fingerprints: the one file of this room that needs Node. It uses the default import and
// touches nothing while loading, so that a browser bundle, which has no node:crypto, can carry the room.

import crypto from "node:crypto";
import { cidrContains } from "./addresses.ts";
import type { Cidr } from "./addresses.ts";
import { decodeDetailsV1, encodeCertificateV1, encodeDetailsV1 } from "./certificate-v1.ts";
import type { CertificateV1, DetailsV1 } from "./certificate-v1.ts";
import { FormatError } from "./format-error.ts";
import { encodePem } from "./pem.ts";
import { concatBytes } from "./protobuf.ts";

export interface CertificateAuthority {
  readonly certificatePem: string;
  readonly fingerprint: string;
  readonly publicKey: Uint8Array;
  /** 64 bytes, as Nebula keeps it: seed, then public key. */
  readonly privateKey: Uint8Array;
}

export type FaultV1 =
  | "invalidCa"
  | "otherIssuer"
  | "caOutOfDate"
  | "outOfDate"
  | "badSignature"
  | "outsideCaLifetime"
  | "groupNotAllowed"
  | "networkNotAllowed"
  | "unsafeNetworkNotAllowed";

export type VerificationV1 = { readonly ok: true } | { readonly ok: false; readonly fault: FaultV1 };

const KEY_LENGTH = 32;

export function createCa(options: { name: string; notBefore: Date; notAfter: Date }): CertificateAuthority {
  const { publicKey, privateKey } = generateSigningKey();
  const certificate = signV1(
    { ...options, networks: [], unsafeNetworks: [], groups: [], publicKey, isCa: true, issuer: undefined },
    privateKey,
  );
  return {
    certificatePem: encodePem("NEBULA CERTIFICATE", encodeCertificateV1(certificate)),
    fingerprint: fingerprintV1(certificate),
    publicKey,
    privateKey,
  };
}

/** Signs what it is told to; `verifyV1` says whether the CA's own certificate allows it. */
export function signV1(details: DetailsV1, caPrivateKey: Uint8Array): CertificateV1 {
  if (caPrivateKey.length !== 2 * KEY_LENGTH) throw new FormatError("a CA's private key must have 64 bytes");
  const caPublicKey = caPrivateKey.subarray(KEY_LENGTH);
  if (details.isCa && !isSame(details.publicKey, caPublicKey)) {
    throw new FormatError("a CA cannot sign another CA");
  }
  const signedBytes = encodeDetailsV1(details);
  const signature = new Uint8Array(crypto.sign(null, signedBytes, toPrivateKey(caPrivateKey)));
  if (!isSignedBy(signedBytes, signature, caPublicKey)) {
    throw new FormatError("the two halves of the CA's private key do not belong together");
  }
  return { details: decodeDetailsV1(signedBytes), signature };
}

/** SHA-256 over details and signature, in lower-case hex. */
export function fingerprintV1(certificate: CertificateV1): string {
  return crypto.createHash("sha256").update(encodeCertificateV1(certificate)).digest("hex");
}

/** What a Nebula node that trusts `ca` checks at that instant, in its order; a blocklist is not consulted. */
export function verifyV1(options: {
  certificate: CertificateV1;
  ca: CertificateV1;
  at: Date;
}): VerificationV1 {
  const fault = findFault(options.certificate, options.ca, options.at);
  return fault === undefined ? { ok: true } : { ok: false, fault };
}

function findFault(certificate: CertificateV1, ca: CertificateV1, at: Date): FaultV1 | undefined {
  const { details } = certificate;
  const limits = ca.details;
  if (!limits.isCa || !hasSignatureOf(ca, limits.publicKey)) return "invalidCa";
  if (details.issuer !== fingerprintV1(ca)) return "otherIssuer";
  if (!isInForce(limits, at)) return "caOutOfDate";
  if (!isInForce(details, at)) return "outOfDate";
  if (!hasSignatureOf(certificate, limits.publicKey)) return "badSignature";
  if (details.notBefore < limits.notBefore || details.notAfter > limits.notAfter) return "outsideCaLifetime";
  if (limits.groups.length > 0 && !details.groups.every((group) => limits.groups.includes(group))) {
    return "groupNotAllowed";
  }
  if (!areWithin(details.networks, limits.networks)) return "networkNotAllowed";
  if (!areWithin(details.unsafeNetworks, limits.unsafeNetworks)) return "unsafeNetworkNotAllowed";
  return undefined;
}

function areWithin(networks: readonly Cidr[], limits: readonly Cidr[]): boolean {
  if (limits.length === 0) return true;
  return networks.every((network) => limits.some((limit) => cidrContains(limit, network)));
}

function isInForce(details: DetailsV1, at: Date): boolean {
  return details.notBefore <= at && at <= details.notAfter;
}

function hasSignatureOf(certificate: CertificateV1, publicKey: Uint8Array): boolean {
  return isSignedBy(encodeDetailsV1(certificate.details), certificate.signature, publicKey);
}

function isSignedBy(bytes: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean {
  return crypto.verify(null, bytes, toPublicKey(publicKey), signature);
}

// Reading a key as JWK takes a tenth of the time that reading DER takes.
function toPrivateKey(privateKey: Uint8Array): crypto.KeyObject {
  const seed = privateKey.subarray(0, KEY_LENGTH);
  const publicKey = privateKey.subarray(KEY_LENGTH);
  return crypto.createPrivateKey({
    key: { kty: "OKP", crv: "Ed25519", d: toBase64Url(seed), x: toBase64Url(publicKey) },
    format: "jwk",
  });
}

function toPublicKey(publicKey: Uint8Array): crypto.KeyObject {
  return crypto.createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: toBase64Url(publicKey) },
    format: "jwk",
  });
}

function toBase64Url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64url");
}

// Written as DER, whose end is the key: exporting fresh keys as JWK can deadlock Node 20.
function generateSigningKey(): { publicKey: Uint8Array; privateKey: Uint8Array } {
  const pair = crypto.generateKeyPairSync("ed25519", {
    publicKeyEncoding: { format: "der", type: "spki" },
    privateKeyEncoding: { format: "der", type: "pkcs8" },
  });
  const publicKey = new Uint8Array(pair.publicKey.subarray(-KEY_LENGTH));
  const seed = pair.privateKey.subarray(-KEY_LENGTH);
  return { publicKey, privateKey: concatBytes([seed, publicKey]) };
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
