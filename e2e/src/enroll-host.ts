/** Enrolls a host with keys that nobody keeps, so that it has a certificate. */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { createEnrollmentCode } from "@lightkeeper/contract";
import { encodePem } from "@lightkeeper/nebula";
import type { Account } from "./account.ts";

const TUNNEL_KEY_LENGTH = 32;
const toBase64 = (text: string) => Buffer.from(text).toString("base64");

function createSigningKey(): string {
  const der = generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "der" });
  const label = "DEFINED HOST ED25519 PUBLIC KEY";
  return `-----BEGIN ${label}-----\n${der.toString("base64")}\n-----END ${label}-----\n`;
}

export async function enrollHost(serverURL: string, { call }: Account, hostID: string): Promise<void> {
  const { code } = await call(createEnrollmentCode, { params: { hostID } });
  const response = await fetch(new URL("/v2/enroll", serverURL), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      code,
      dhPubkey: toBase64(encodePem("NEBULA X25519 PUBLIC KEY", randomBytes(TUNNEL_KEY_LENGTH))),
      edPubkey: toBase64(createSigningKey()),
      nebulaPubkeyP256: null,
      hostPubkeyP256: null,
      timestamp: new Date().toISOString(),
    }),
  });
  if (!response.ok) throw new Error(`Enrolling failed: ${response.status} ${await response.text()}`);
}
