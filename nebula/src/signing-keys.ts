// Converts signing keys between Nebula's format and Node.js. It uses the default import and runs no code while loading,
// so that a browser bundle, which has no node:crypto, can contain this module.

import crypto from "node:crypto";
import { concatBytes } from "./bytes.ts";
import { type Curve, curveOf } from "./curves.ts";
import { encodeLowerSignature } from "./ecdsa-signatures.ts";
import { FormatError } from "./format-error.ts";

const KEY_LENGTH = 32;
const P256_HASH = "sha256";
const P256_OPENSSL_NAME = "prime256v1";

export interface SigningKey {
  readonly publicKey: Uint8Array;
  /** In Nebula's format: for curve 25519 64 bytes, seed and public key; for P256 the 32 bytes of the private key. */
  readonly privateKey: Uint8Array;
}

export const privateKeyLengths: Readonly<Record<Curve, number>> = { "25519": 64, P256: 32 };

export const generateSigningKey = (curve: Curve = "25519"): SigningKey =>
  curve === "P256" ? generateP256Key() : generateEd25519Key();

// Exported as DER, which ends with the key: exporting new keys as JWK can deadlock Node.js 20.
function generateEd25519Key(): SigningKey {
  const pair = crypto.generateKeyPairSync("ed25519", {
    publicKeyEncoding: { format: "der", type: "spki" },
    privateKeyEncoding: { format: "der", type: "pkcs8" },
  });
  const publicKey = new Uint8Array(pair.publicKey.subarray(-KEY_LENGTH));
  const seed = pair.privateKey.subarray(-KEY_LENGTH);
  return { publicKey, privateKey: concatBytes(seed, publicKey) };
}

/** Also for the tunnels of hosts: both kinds of P256 keys are the same numbers. */
export function generateP256Key(): SigningKey {
  const pair = crypto.createECDH(P256_OPENSSL_NAME);
  const publicKey = new Uint8Array(pair.generateKeys());
  // Without its leading zeros.
  const digits = pair.getPrivateKey();
  return { publicKey, privateKey: concatBytes(new Uint8Array(KEY_LENGTH - digits.length), digits) };
}

/** The public key of a private key in Nebula's format. */
export function toPublicKey(privateKey: Uint8Array, curve: Curve): Uint8Array {
  if (curve === "25519") return new Uint8Array(privateKey.subarray(KEY_LENGTH));
  const pair = crypto.createECDH(P256_OPENSSL_NAME);
  try {
    pair.setPrivateKey(privateKey);
  } catch {
    throw new FormatError("the private key isn't one of curve P256");
  }
  return new Uint8Array(pair.getPublicKey());
}

/** Returns a function that signs bytes as Nebula does. */
export function createSignFunction(privateKey: Uint8Array, curve: Curve): (bytes: Uint8Array) => Uint8Array {
  const key = crypto.createPrivateKey({ key: toPrivateJwk(privateKey, curve), format: "jwk" });
  if (curve === "25519") return (bytes) => new Uint8Array(crypto.sign(null, bytes, key));
  return (bytes) => encodeLowerSignature(crypto.sign(P256_HASH, bytes, { key, dsaEncoding: "ieee-p1363" }));
}

export function isSignedBy(bytes: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean {
  const hash = curveOf(publicKey) === "P256" ? P256_HASH : null;
  const key = crypto.createPublicKey({ key: toPublicJwk(publicKey), format: "jwk" });
  return crypto.verify(hash, bytes, key, signature);
}

// Importing a JWK is ten times as fast as importing DER.
function toPrivateJwk(privateKey: Uint8Array, curve: Curve): crypto.JsonWebKey {
  return {
    ...toPublicJwk(toPublicKey(privateKey, curve)),
    d: toBase64Url(privateKey.subarray(0, KEY_LENGTH)),
  };
}

function toPublicJwk(publicKey: Uint8Array): crypto.JsonWebKey {
  if (curveOf(publicKey) === "25519") return { kty: "OKP", crv: "Ed25519", x: toBase64Url(publicKey) };
  const coordinates = publicKey.subarray(1);
  const [x, y] = [coordinates.subarray(0, KEY_LENGTH), coordinates.subarray(KEY_LENGTH)];
  return { kty: "EC", crv: "P-256", x: toBase64Url(x), y: toBase64Url(y) };
}

function toBase64Url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64url");
}
