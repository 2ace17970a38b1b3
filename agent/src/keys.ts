/**
 * The host's two key pairs, of either curve: one signs its messages to the server, the other is nebula's. Private keys
 * leave this module only as the PEM that is kept in the state directory.
 *
 * Keys are exported as DER: Node 20 can deadlock when a new key is exported as JWK.
 */
import { createECDH, createPrivateKey, generateKeyPairSync, sign } from "node:crypto";
import { encodePem } from "@lightkeeper/nebula";

export type Curve = "25519" | "P256";

/** PEM. */
export interface KeyPair {
  readonly publicKey: string;
  readonly privateKey: string;
}

const HOST_BANNERS = {
  "25519": "DEFINED HOST ED25519 PRIVATE KEY",
  P256: "DEFINED HOST P256 PRIVATE KEY",
} as const;
const SCALAR_LENGTH = 32;
const LINE = /.{1,64}/g;

export function createHostKeys(curve: Curve): KeyPair {
  const publicKeyEncoding = { type: "spki", format: "der" } as const;
  const { publicKey, privateKey } =
    curve === "25519"
      ? generateKeyPairSync("ed25519", {
          publicKeyEncoding,
          privateKeyEncoding: { type: "pkcs8", format: "der" },
        })
      : generateKeyPairSync("ec", {
          namedCurve: "P-256",
          publicKeyEncoding,
          privateKeyEncoding: { type: "sec1", format: "der" },
        });
  const banner = HOST_BANNERS[curve];
  return {
    publicKey: toPem(banner.replace("PRIVATE", "PUBLIC"), publicKey),
    privateKey: toPem(banner, privateKey),
  };
}

export function createNebulaKeys(curve: Curve): KeyPair {
  if (curve === "P256") {
    const pair = createECDH("prime256v1");
    const publicKey = pair.generateKeys();
    // Node omits leading zeros.
    const scalar = Buffer.alloc(SCALAR_LENGTH);
    const significantBytes = pair.getPrivateKey();
    significantBytes.copy(scalar, SCALAR_LENGTH - significantBytes.length);
    return {
      publicKey: encodePem("NEBULA P256 PUBLIC KEY", publicKey),
      privateKey: encodePem("NEBULA P256 PRIVATE KEY", scalar),
    };
  }
  const { publicKey, privateKey } = generateKeyPairSync("x25519", {
    publicKeyEncoding: { type: "spki", format: "der" },
    privateKeyEncoding: { type: "pkcs8", format: "der" },
  });
  return {
    publicKey: encodePem("NEBULA X25519 PUBLIC KEY", publicKey.subarray(-SCALAR_LENGTH)),
    privateKey: encodePem("NEBULA X25519 PRIVATE KEY", privateKey.subarray(-SCALAR_LENGTH)),
  };
}

/** Signs with Ed25519, or with ECDSA over SHA-256 in DER, depending on the key. */
export function signAsHost(privateKeyPem: string, data: Buffer): Buffer {
  const isEdwards = privateKeyPem.includes(HOST_BANNERS["25519"]);
  const key = createPrivateKey({
    key: fromPem(privateKeyPem),
    format: "der",
    type: isEdwards ? "pkcs8" : "sec1",
  });
  return isEdwards ? sign(null, data, key) : sign("sha256", data, key);
}

function toPem(banner: string, der: Buffer): string {
  const lines = der.toString("base64").match(LINE) ?? [];
  return `-----BEGIN ${banner}-----\n${lines.join("\n")}\n-----END ${banner}-----\n`;
}

function fromPem(pem: string): Buffer {
  return Buffer.from(pem.replace(/-----[^-]+-----/g, ""), "base64");
}
