// Certificate authorities and signing: the entry point `@lightkeeper/nebula/signing`, for Node.js only.

import { encodeDetailsV1, joinCertificateV1, normalizeDetailsV1 } from "./certificate-v1.ts";
import type { CertificateV1, DetailsV1 } from "./certificate-v1.ts";
import {
  encodeDetailsV2,
  encodeSignedBytesV2,
  joinCertificateV2,
  joinSignedBytesV2,
  normalizeDetailsV2,
} from "./certificate-v2.ts";
import type { CertificateV2, DetailsV2 } from "./certificate-v2.ts";
import { otherSignature } from "./ecdsa-signatures.ts";
import { FormatError } from "./format-error.ts";
import { encodePem } from "./pem.ts";
import { concatBytes } from "./bytes.ts";
import { type Curve, curveOf } from "./curves.ts";
import {
  createSignFunction,
  generateSigningKey,
  isSignedBy,
  privateKeyLengths,
  toPublicKey,
} from "./signing-keys.ts";
import type { SigningKey } from "./signing-keys.ts";
import { sha256 } from "./verification.ts";

export { createSignFunction, generateSigningKey } from "./signing-keys.ts";
export { otherSignature } from "./ecdsa-signatures.ts";
export { fingerprintV1, fingerprintV2, verifyV1, verifyV2 } from "./verification.ts";
export type { VerificationProblem, Verification } from "./verification.ts";

export interface CertificateAuthority extends SigningKey {
  readonly certificatePem: string;
  readonly fingerprint: string;
}

export interface IssuedCertificate {
  readonly pem: string;
  readonly fingerprint: string;
  /** Of the certificate with its other valid P256 signature: nodes before 1.10.3 would accept it after a block. */
  readonly otherFingerprint: string | undefined;
}

/** Keeps a CA's parsed key: create one per CA and reuse it. */
export interface Signer {
  readonly publicKey: Uint8Array;
  /** Doesn't check whether the CA's certificate allows the details; `verifyV1` does. */
  signV1(details: DetailsV1): CertificateV1;
  signV2(details: DetailsV2): CertificateV2;
  /** Signs and encodes as PEM. */
  issueV1(details: DetailsV1): IssuedCertificate;
  issueV2(details: DetailsV2): IssuedCertificate;
}

export function createCa(options: {
  name: string;
  notBefore: Date;
  notAfter: Date;
  certificateVersion?: 1 | 2;
  curve?: Curve;
}): CertificateAuthority {
  const { name, notBefore, notAfter, certificateVersion = 1, curve = "25519" } = options;
  const key = generateSigningKey(curve);
  const signer = createSigner(key.privateKey, curve);
  const common = { name, notBefore, notAfter, publicKey: key.publicKey, isCa: true, issuer: undefined };
  const details = { ...common, networks: [], unsafeNetworks: [], groups: [] };
  const issued = certificateVersion === 1 ? signer.issueV1(details) : signer.issueV2(details);
  return { ...key, certificatePem: issued.pem, fingerprint: issued.fingerprint };
}

/** Checks once that both halves of the key match, so that signatures need no check later. */
function loadKey(caPrivateKey: Uint8Array, curve: Curve) {
  if (caPrivateKey.length !== privateKeyLengths[curve]) {
    throw new FormatError(`a CA's private key must have ${privateKeyLengths[curve]} bytes`);
  }
  const publicKey = toPublicKey(caPrivateKey, curve);
  const sign = createSignFunction(caPrivateKey, curve);
  if (!isSignedBy(publicKey, sign(publicKey), publicKey)) {
    throw new FormatError("the two halves of the CA's private key don't match");
  }
  return { publicKey, sign };
}

export function createSigner(caPrivateKey: Uint8Array, curve: Curve = "25519"): Signer {
  const { publicKey, sign } = loadKey(caPrivateKey, curve);
  const withOther = (signature: Uint8Array, fingerprint: (signature: Uint8Array) => string) =>
    curve === "P256" ? fingerprint(otherSignature(signature)) : undefined;

  const signer: Signer = {
    publicKey,
    signV1(input) {
      assertMaySign(input, publicKey);
      const details = normalizeDetailsV1(input);
      return { details, signature: sign(encodeDetailsV1(details)) };
    },
    signV2(input) {
      assertMaySign(input, publicKey);
      const details = normalizeDetailsV2(input);
      return { details, signature: sign(encodeSignedBytesV2(details)) };
    },
    issueV1(details) {
      assertMaySign(details, publicKey);
      const encodedDetails = encodeDetailsV1(details);
      const signature = sign(encodedDetails);
      const encode = (bytes: Uint8Array) => joinCertificateV1(encodedDetails, bytes);
      const encoded = encode(signature);
      return {
        pem: encodePem("NEBULA CERTIFICATE", encoded),
        fingerprint: sha256(encoded),
        otherFingerprint: withOther(signature, (other) => sha256(encode(other))),
      };
    },
    issueV2(input) {
      assertMaySign(input, publicKey);
      const details = normalizeDetailsV2(input);
      const encodedDetails = encodeDetailsV2(details);
      const signedBytes = joinSignedBytesV2(encodedDetails, details.publicKey);
      const signature = sign(signedBytes);
      const encoded = joinCertificateV2(encodedDetails, details.publicKey, signature);
      const fingerprint = (bytes: Uint8Array) => sha256(concatBytes(signedBytes, bytes));
      return {
        pem: encodePem("NEBULA CERTIFICATE V2", encoded),
        fingerprint: fingerprint(signature),
        otherFingerprint: withOther(signature, fingerprint),
      };
    },
  };
  return signer;
}

function assertMaySign(details: { isCa: boolean; publicKey: Uint8Array }, publicKey: Uint8Array): void {
  if (curveOf(details.publicKey) !== curveOf(publicKey)) {
    throw new FormatError("a CA can only sign keys of its own curve");
  }
  const isSame = details.publicKey.every((byte, index) => byte === publicKey[index]);
  if (details.isCa && !isSame) throw new FormatError("a CA can't sign another CA");
}
