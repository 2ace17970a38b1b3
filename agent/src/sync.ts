/** Fetching what the server wants this host to be. Nothing is believed before a key we already trust has signed it. */
import { randomBytes } from "node:crypto";
import { SignedReply, UpdateReply } from "@lightkeeper/contract/agent";
import { readCertificate } from "./config.ts";
import { Failure } from "./failure.ts";
import { rememberGeneration } from "./generations.ts";
import { createHostKeys, createNebulaKeys } from "./keys.ts";
import { openReply, parseTrustedKeys, toBase64 } from "./protocol.ts";
import type { Server } from "./server.ts";
import type { State } from "./state.ts";

export type UpdateKind = "DoUpdate" | "DoConfigUpdate";

const NONCE_LENGTH = 16;

/**
 * The state after an update; storing it is up to the caller. The server takes the old signing key until it has
 * heard the new one, so an answer that is lost on the way costs nothing.
 */
export async function fetchUpdate(
  kind: UpdateKind,
  state: State,
  server: Pick<Server, "call">,
  signal: AbortSignal,
): Promise<State> {
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

  const signed = SignedReply.safeParse(await server.call(state, kind, value, signal));
  if (!signed.success) throw new Failure("The server's answer to an update is not in the agreed form.");
  const reply = parseReply(openReply(signed.data, state.trustedKeys));
  if (reply.nonce !== nonce) throw new Failure("The server's answer is to another question than ours.");
  if (reply.counter <= state.counter) throw new Failure("The server's answer is older than what we have.");
  const trustedKeys = decode(reply.trustedKeys);
  parseTrustedKeys(trustedKeys);

  const config = decode(reply.config);
  const certificate = nebulaKeys ? readCertificate(config) : state.intended.certificate;
  if (certificate === undefined) throw new Failure("The server's answer holds no certificate.");
  return {
    ...state,
    hostKey: hostKeys.privateKey,
    counter: reply.counter,
    trustedKeys,
    organization: reply.organization,
    network: { ...reply.network, curve },
    host: reply.host,
    intended: { config, certificate, nebulaKey: nebulaKeys?.privateKey ?? state.intended.nebulaKey },
    previous: rememberGeneration(state),
  };
}

export const decode = (base64: string) => Buffer.from(base64, "base64").toString("utf8");

function parseReply(bytes: Buffer): UpdateReply {
  const parsed = UpdateReply.safeParse(readJson(bytes));
  if (!parsed.success) throw new Failure("The server's answer to an update is not in the agreed form.");
  return parsed.data;
}

function readJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}
