/**
 * The signed envelopes of the agent protocol. The host signs the base64 text of its message; the server signs the
 * decoded bytes of its reply.
 */
import { createPublicKey, verify } from "node:crypto";
import type { AgentMessageType, SignedReply } from "@lightkeeper/contract/agent";
import { decodePem, splitPemBlocks } from "@lightkeeper/nebula";
import { AgentError } from "./errors.ts";
import { signAsHost } from "./keys.ts";

export interface Credentials {
  readonly hostID: string;
  readonly counter: number;
  /** PEM, private. */
  readonly hostKey: string;
}

export const toBase64 = (text: string | Uint8Array) =>
  (typeof text === "string"
    ? Buffer.from(text)
    : Buffer.from(text.buffer, text.byteOffset, text.length)
  ).toString("base64");

/** Pass undefined for a message without a value. */
export function writeRequest(
  { hostID, counter, hostKey }: Credentials,
  type: AgentMessageType,
  value: unknown,
  timestamp: string,
): string {
  const payload = value === undefined ? null : toBase64(JSON.stringify(value));
  const message = toBase64(JSON.stringify({ type, value: payload, timestamp }));
  const signature = toBase64(signAsHost(hostKey, Buffer.from(message)));
  return JSON.stringify({ version: 1, hostID, counter, message, signature });
}

/** Returns the decoded reply if one of the trusted keys has signed it. */
export function verifyReply({ message, signature }: SignedReply, trustedKeys: string): Buffer {
  const bytes = Buffer.from(message, "base64");
  const isSigned = parseTrustedKeys(trustedKeys).some(({ algorithm, key }) =>
    verify(algorithm, bytes, key, Buffer.from(signature, "base64")),
  );
  if (!isSigned) throw new AgentError("Unexpected response from the server (not signed by a trusted key).");
  return bytes;
}

const SPKI_PREFIXES = {
  "NEBULA ED25519 PUBLIC KEY": "302a300506032b6570032100",
  "NEBULA ECDSA P256 PUBLIC KEY": "3059301306072a8648ce3d020106082a8648ce3d030107034200",
} as const;

/** Consecutive PEM blocks and nothing else. */
export function parseTrustedKeys(bundle: string) {
  const blocks = splitPemBlocks(bundle);
  if (!blocks) throw new AgentError("Unexpected response from the server (invalid trusted keys).");
  return blocks.map(parseTrustedKey);
}

function parseTrustedKey(pem: string) {
  const isEdwards = pem.startsWith("-----BEGIN NEBULA ED25519 PUBLIC KEY-----");
  const banner = isEdwards ? "NEBULA ED25519 PUBLIC KEY" : "NEBULA ECDSA P256 PUBLIC KEY";
  const der = Buffer.concat([Buffer.from(SPKI_PREFIXES[banner], "hex"), decodePem(banner, pem)]);
  return {
    algorithm: isEdwards ? null : "sha256",
    key: createPublicKey({ key: der, format: "der", type: "spki" }),
  };
}
