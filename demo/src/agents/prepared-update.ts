/** The keys of a simulated agent. */
import { generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import { toBase64 } from "@lightkeeper/agent/protocol";
import type { UpdateRequest } from "@lightkeeper/contract/agent";
import { encodePem } from "@lightkeeper/nebula";

const NONCE_LENGTH = 16;
const KEY_LENGTH = 32;
const SIGNING_KEY = "DEFINED HOST ED25519 PUBLIC KEY";

interface SigningKey {
  privateKey: KeyObject;
  /** Base64 of the PEM text. */
  publicKey: string;
}

export function createSigningKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const der = toBase64(publicKey.export({ type: "spki", format: "der" }));
  const pem = `-----BEGIN ${SIGNING_KEY}-----\n${der}\n-----END ${SIGNING_KEY}-----\n`;
  return { privateKey, publicKey: toBase64(pem) };
}

export interface PreparedUpdate {
  privateKey: KeyObject;
  value: UpdateRequest;
}

export function prepareUpdate(command: string): PreparedUpdate {
  const { privateKey, publicKey } = createSigningKey();
  const value = {
    edPubkeyPEM: publicKey,
    p256HostPubkeyPEM: null,
    dhPubkeyPEM: command === "DoUpdate" ? createTunnelKey() : null,
    p256NebulaPubkeyPEM: null,
    nonce: toBase64(randomBytes(NONCE_LENGTH)),
  };
  return { privateKey, value };
}

export const createTunnelKey = () => toBase64(encodePem("NEBULA X25519 PUBLIC KEY", randomBytes(KEY_LENGTH)));
