/** The keys of test agents. */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import { type Curve, encodePem } from "@lightkeeper/nebula";
import { generateSigningKey } from "@lightkeeper/nebula/signing";

const ED25519_PRIVATE = Buffer.from("302e020100300506032b657004220420", "hex");

export const toPem = (banner: string, der: Buffer) =>
  `-----BEGIN ${banner}-----\n${der.toString("base64").replace(/.{64}(?=.)/g, "$&\n")}\n-----END ${banner}-----\n`;
const base64 = (text: string | Buffer) => Buffer.from(text).toString("base64");

export interface KeyPair {
  privateKey: KeyObject;
  /** Base64 of the PEM text. */
  publicPem: string;
}

/** Creates the signing key of a host, deterministic if a seed is passed. */
export function newHostKey(seed?: Buffer): KeyPair {
  const key = Buffer.concat([ED25519_PRIVATE, seed ?? randomBytes(32)]);
  const privateKey = createPrivateKey({ key, format: "der", type: "pkcs8" });
  const der = createPublicKey(privateKey).export({ format: "der", type: "spki" });
  return { privateKey, publicPem: base64(toPem("DEFINED HOST ED25519 PUBLIC KEY", der)) };
}

/** Creates the signing key of a host in a network with curve P256. */
export function newP256HostKey(): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const der = publicKey.export({ format: "der", type: "spki" });
  return { privateKey, publicPem: base64(toPem("DEFINED HOST P256 PUBLIC KEY", der)) };
}

export function newP256TunnelKey(): TunnelKey {
  const { publicKey, privateKey } = generateSigningKey("P256");
  return {
    publicPem: base64(encodePem("NEBULA P256 PUBLIC KEY", publicKey)),
    privatePem: encodePem("NEBULA P256 PRIVATE KEY", privateKey),
  };
}

export interface TunnelKey {
  publicPem: string;
  privatePem: string;
}

/** Creates the tunnel key, with the private key in Nebula's format. */
export function newTunnelKey(): TunnelKey {
  const { publicKey, privateKey } = generateKeyPairSync("x25519", {
    publicKeyEncoding: { format: "der", type: "spki" },
    privateKeyEncoding: { format: "der", type: "pkcs8" },
  });
  return {
    publicPem: base64(toPem("NEBULA X25519 PUBLIC KEY", publicKey.subarray(-32))),
    privatePem: toPem("NEBULA X25519 PRIVATE KEY", privateKey.subarray(-32)),
  };
}

export const newKeys = (curve: Curve) =>
  curve === "P256"
    ? { hostKey: newP256HostKey(), tunnelKey: newP256TunnelKey() }
    : { hostKey: newHostKey(), tunnelKey: newTunnelKey() };
