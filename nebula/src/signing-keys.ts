// Converts Ed25519 keys between Nebula's format and Node.js. It uses the default import and runs no code while loading,
// so that a browser bundle, which has no node:crypto, can contain this module.

import crypto from "node:crypto";
import { concatBytes } from "./bytes.ts";

const KEY_LENGTH = 32;

export interface SigningKey {
  readonly publicKey: Uint8Array;
  /** 64 bytes in Nebula's format: seed, then public key. */
  readonly privateKey: Uint8Array;
}

// Exported as DER, which ends with the key: exporting new keys as JWK can deadlock Node.js 20.
export function generateSigningKey(): SigningKey {
  const pair = crypto.generateKeyPairSync("ed25519", {
    publicKeyEncoding: { format: "der", type: "spki" },
    privateKeyEncoding: { format: "der", type: "pkcs8" },
  });
  const publicKey = new Uint8Array(pair.publicKey.subarray(-KEY_LENGTH));
  const seed = pair.privateKey.subarray(-KEY_LENGTH);
  return { publicKey, privateKey: concatBytes(seed, publicKey) };
}

// Importing a JWK is ten times as fast as importing DER.
export function toPrivateKey(privateKey: Uint8Array): crypto.KeyObject {
  const seed = privateKey.subarray(0, KEY_LENGTH);
  const publicKey = privateKey.subarray(KEY_LENGTH);
  return crypto.createPrivateKey({
    key: { kty: "OKP", crv: "Ed25519", d: toBase64Url(seed), x: toBase64Url(publicKey) },
    format: "jwk",
  });
}

export function isSignedBy(bytes: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean {
  const key = { kty: "OKP", crv: "Ed25519", x: toBase64Url(publicKey) };
  return crypto.verify(null, bytes, crypto.createPublicKey({ key, format: "jwk" }), signature);
}

function toBase64Url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64url");
}
