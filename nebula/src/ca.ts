// Certificate authorities and signing: the entry point `@lightkeeper/nebula/signing`, for Node.js only.

import crypto from "node:crypto";
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
import { FormatError } from "./format-error.ts";
import { encodePem } from "./pem.ts";
import { concatBytes } from "./bytes.ts";
import { generateSigningKey, isSignedBy, toPrivateKey } from "./signing-keys.ts";
import type { SigningKey } from "./signing-keys.ts";
import { sha256 } from "./verification.ts";

export { fingerprintV1, fingerprintV2, verifyV1, verifyV2 } from "./verification.ts";
export type { VerificationProblem, Verification } from "./verification.ts";

export interface CertificateAuthority extends SigningKey {
  readonly certificatePem: string;
  readonly fingerprint: string;
}

export interface IssuedCertificate {
  readonly pem: string;
  readonly fingerprint: string;
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

const PRIVATE_KEY_LENGTH = 64;

export function createCa(options: {
  name: string;
  notBefore: Date;
  notAfter: Date;
  certificateVersion?: 1 | 2;
}): CertificateAuthority {
  const { name, notBefore, notAfter, certificateVersion = 1 } = options;
  const key = generateSigningKey();
  const signer = createSigner(key.privateKey);
  const common = { name, notBefore, notAfter, publicKey: key.publicKey, isCa: true, issuer: undefined };
  const details = { ...common, networks: [], unsafeNetworks: [], groups: [] };
  const issued = certificateVersion === 1 ? signer.issueV1(details) : signer.issueV2(details);
  return { ...key, certificatePem: issued.pem, fingerprint: issued.fingerprint };
}

/** Checks once that both halves of the key match, so that signatures need no check later. */
export function createSigner(caPrivateKey: Uint8Array): Signer {
  if (caPrivateKey.length !== PRIVATE_KEY_LENGTH) {
    throw new FormatError(`a CA's private key must have ${PRIVATE_KEY_LENGTH} bytes`);
  }
  const publicKey = new Uint8Array(caPrivateKey.subarray(PRIVATE_KEY_LENGTH / 2));
  const key = toPrivateKey(caPrivateKey);
  const sign = (bytes: Uint8Array) => new Uint8Array(crypto.sign(null, bytes, key));
  if (!isSignedBy(publicKey, sign(publicKey), publicKey)) {
    throw new FormatError("the two halves of the CA's private key don't match");
  }

  const signer: Signer = {
    publicKey,
    signV1(input) {
      assertNotOtherCa(input, publicKey);
      const details = normalizeDetailsV1(input);
      return { details, signature: sign(encodeDetailsV1(details)) };
    },
    signV2(input) {
      assertNotOtherCa(input, publicKey);
      const details = normalizeDetailsV2(input);
      return { details, signature: sign(encodeSignedBytesV2(details)) };
    },
    issueV1(details) {
      assertNotOtherCa(details, publicKey);
      const encodedDetails = encodeDetailsV1(details);
      const encoded = joinCertificateV1(encodedDetails, sign(encodedDetails));
      return { pem: encodePem("NEBULA CERTIFICATE", encoded), fingerprint: sha256(encoded) };
    },
    issueV2(input) {
      assertNotOtherCa(input, publicKey);
      const details = normalizeDetailsV2(input);
      const encodedDetails = encodeDetailsV2(details);
      const signedBytes = joinSignedBytesV2(encodedDetails, details.publicKey);
      const signature = sign(signedBytes);
      const encoded = joinCertificateV2(encodedDetails, details.publicKey, signature);
      return {
        pem: encodePem("NEBULA CERTIFICATE V2", encoded),
        fingerprint: sha256(concatBytes(signedBytes, signature)),
      };
    },
  };
  return signer;
}

function assertNotOtherCa(details: { isCa: boolean; publicKey: Uint8Array }, publicKey: Uint8Array): void {
  const isSame = details.publicKey.every((byte, index) => byte === publicKey[index]);
  if (details.isCa && !isSame) throw new FormatError("a CA can't sign another CA");
}
