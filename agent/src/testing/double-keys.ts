/** The keys of the server double, of either curve: its own, which hosts trust, and those of hosts. */
import { createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
import { encodePem } from "@lightkeeper/nebula";
import type { Curve } from "@lightkeeper/nebula";

export interface TrustedKey {
  /** As hosts receive it. */
  readonly pem: string;
  sign(bytes: Buffer): Buffer;
}

export interface HostKey {
  readonly algorithm: null | "sha256";
  readonly key: ReturnType<typeof createPublicKey>;
}

export function createTrustedKey(curve: Curve): TrustedKey {
  const isEdwards = curve === "25519";
  const { publicKey, privateKey } = isEdwards
    ? generateKeyPairSync("ed25519")
    : generateKeyPairSync("ec", { namedCurve: "P-256" });
  const der = publicKey.export({ type: "spki", format: "der" });
  return {
    pem: isEdwards
      ? encodePem("NEBULA ED25519 PUBLIC KEY", der.subarray(-32))
      : encodePem("NEBULA ECDSA P256 PUBLIC KEY", der.subarray(-65)),
    sign: (bytes) => sign(isEdwards ? null : "sha256", bytes, privateKey),
  };
}

export function readHostKey(pem: Buffer): HostKey {
  const [, curve, body = ""] =
    /^-----BEGIN DEFINED HOST (ED25519|P256) PUBLIC KEY-----\n(.*)\n-----END/s.exec(pem.toString()) ?? [];
  const der = Buffer.from(body, "base64");
  return {
    algorithm: curve === "P256" ? "sha256" : null,
    key: createPublicKey({ key: der, format: "der", type: "spki" }),
  };
}

export function verifyHostSignature({ algorithm, key }: HostKey, bytes: Buffer, signature: Buffer): boolean {
  return verify(algorithm, bytes, key, signature);
}
