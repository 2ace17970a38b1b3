/** Fetches an update from the server and verifies that a trusted key has signed it. */
import { randomBytes } from "node:crypto";
import { SignedReply, UpdateReply } from "@lightkeeper/contract/agent";
import { readCertificate } from "./config.ts";
import { AgentError } from "./errors.ts";
import { rememberGeneration } from "./credential-generations.ts";
import { createHostKeys, createNebulaKeys } from "./keys.ts";
import { verifyReply, parseTrustedKeys, toBase64 } from "./protocol.ts";
import type { Server } from "./server.ts";
import type { State } from "./state.ts";

export type UpdateKind = "DoUpdate" | "DoConfigUpdate";

const NONCE_LENGTH = 16;

/** The keys of an update that the server is asked for. */
export interface PreparedUpdate {
  /** The value of the request. */
  readonly value: object;
  /** Verifies the reply and returns the state after the update; the caller stores it. */
  readonly read: (reply: unknown) => State;
}

/** The server accepts the old signing key until the new one is used, so a lost reply does no harm. */
export async function fetchUpdate(
  kind: UpdateKind,
  state: State,
  server: Pick<Server, "call">,
  signal: AbortSignal,
): Promise<State> {
  const { value, read } = prepareUpdate(kind, state);
  return read(await server.call(state, kind, value, signal));
}

export function prepareUpdate(kind: UpdateKind, state: State): PreparedUpdate {
  const { curve } = state.network;
  const isEdwards = curve === "25519";
  const hostKeys = createHostKeys(curve);
  const nebulaKeys = kind === "DoUpdate" ? createNebulaKeys(curve) : undefined;
  const nonce = toBase64(randomBytes(NONCE_LENGTH));
  const [hostKey, nebulaKey] = [hostKeys, nebulaKeys].map((keys) => (keys ? toBase64(keys.publicKey) : null));
  const value = {
    edPubkeyPEM: isEdwards ? hostKey : null,
    p256HostPubkeyPEM: isEdwards ? null : hostKey,
    ...(kind === "DoUpdate" && {
      dhPubkeyPEM: isEdwards ? nebulaKey : null,
      p256NebulaPubkeyPEM: isEdwards ? null : nebulaKey,
    }),
    nonce,
  };
  return {
    value,
    read(data) {
      const reply = verifyUpdate(data, state, nonce);
      const config = decode(reply.config);
      const certificate = nebulaKeys ? readCertificate(config) : state.intended.certificate;
      if (certificate === undefined)
        throw new AgentError("Unexpected response from the server (no certificate).");
      return {
        ...state,
        hostKey: hostKeys.privateKey,
        counter: reply.counter,
        trustedKeys: decode(reply.trustedKeys),
        organization: reply.organization,
        network: { ...reply.network, curve },
        host: reply.host,
        intended: { config, certificate, nebulaKey: nebulaKeys?.privateKey ?? state.intended.nebulaKey },
        previous: rememberGeneration(state),
      };
    },
  };
}

function verifyUpdate(data: unknown, state: State, nonce: string): UpdateReply {
  const signed = SignedReply.safeParse(data);
  if (!signed.success) throw new AgentError("Unexpected response from the server (wrong format).");
  const reply = parseReply(verifyReply(signed.data, state.trustedKeys));
  if (reply.nonce !== nonce) throw new AgentError("Unexpected response from the server (wrong request ID).");
  if (reply.counter <= state.counter)
    throw new AgentError("Unexpected response from the server (older than the current configuration).");
  parseTrustedKeys(decode(reply.trustedKeys));
  return reply;
}

export const decode = (base64: string) => Buffer.from(base64, "base64").toString("utf8");

function parseReply(bytes: Buffer): UpdateReply {
  const parsed = UpdateReply.safeParse(readJson(bytes));
  if (!parsed.success) throw new AgentError("Unexpected response from the server (wrong format).");
  return parsed.data;
}

function readJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}
