/** Exchanges an enrollment code for an identity. The private keys are created on this host and never leave it. */
import { EnrollReply } from "@lightkeeper/contract/agent";
import { readCertificate } from "./config.ts";
import { AgentError, messageOf } from "./errors.ts";
import { rememberGeneration } from "./credential-generations.ts";
import { post, ServerUnreachable } from "./http.ts";
import type { ServerResponse } from "./http.ts";
import { createHostKeys, createNebulaKeys } from "./keys.ts";
import { readNebulaVersion } from "./nebula.ts";
import { parseTrustedKeys, toBase64 } from "./protocol.ts";
import { readResponse, RequestRejected } from "./server.ts";
import type { State, StateDirectory } from "./state.ts";
import { describeEnrollment } from "./status.ts";
import { decode } from "./fetch-update.ts";
import { userAgent } from "./user-agent.ts";

export interface EnrollOptions {
  readonly directory: StateDirectory;
  readonly server: string;
  readonly code: string;
  readonly nebula: string;
  readonly isForced: boolean;
}

const ENROLL_SECONDS = 120;

export async function enroll({ directory, server, code, nebula, isForced }: EnrollOptions): Promise<State> {
  directory.prepare();
  const existing = readExisting(directory, isForced);
  if (existing && !isForced)
    throw new AgentError(
      `This host is already enrolled as ${describeEnrollment(existing)}. To replace that enrollment, use --force.`,
    );
  // Check everything on this machine first: the code works once.
  const nebulaVersion = await readNebulaVersion(nebula);
  directory.probe();

  const hostKeys = { "25519": createHostKeys("25519"), P256: createHostKeys("P256") };
  const nebulaKeys = { "25519": createNebulaKeys("25519"), P256: createNebulaKeys("P256") };
  const request = {
    code,
    dhPubkey: toBase64(nebulaKeys["25519"].publicKey),
    edPubkey: toBase64(hostKeys["25519"].publicKey),
    nebulaPubkeyP256: toBase64(nebulaKeys.P256.publicKey),
    hostPubkeyP256: toBase64(hostKeys.P256.publicKey),
    timestamp: new Date().toISOString(),
  };
  const reply = readReply(await sendRequest(server, JSON.stringify(request), userAgent(nebulaVersion)));
  const { hostID, counter, organization, network, host } = reply;
  const config = decode(reply.config);
  const certificate = readCertificate(config);
  const trustedKeys = decode(reply.trustedKeys);
  parseTrustedKeys(trustedKeys);
  if (certificate === undefined)
    throw new AgentError("Unexpected response from the server (no certificate).");

  const state: State = {
    format: 1,
    server,
    nebula,
    hostID,
    counter,
    hostKey: hostKeys[network.curve].privateKey,
    trustedKeys,
    organization,
    network,
    host,
    enrolledAt: new Date().toISOString(),
    intended: { config, certificate, nebulaKey: nebulaKeys[network.curve].privateKey },
    lastGood: null,
    previous: existing?.server === server && existing.hostID === hostID ? rememberGeneration(existing) : [],
  };
  directory.saveEnrollment(state);
  return state;
}

/** With --force, an unreadable state is replaced. */
function readExisting(directory: StateDirectory, isForced: boolean): State | undefined {
  try {
    return directory.peek();
  } catch (error) {
    if (isForced) return undefined;
    throw error;
  }
}

async function sendRequest(server: string, body: string, agent: string): Promise<ServerResponse> {
  try {
    return await post(server, "/v2/enroll", body, { userAgent: agent, timeoutSeconds: ENROLL_SECONDS });
  } catch (error) {
    const advice =
      error instanceof ServerUnreachable && error.wasSent
        ? "The code may have been used. Generate a new code in the console and enroll again."
        : "Nothing was sent, so the code is still valid.";
    const failure = new AgentError(`${messageOf(error)} ${advice}`);
    if (error instanceof AgentError) failure.requestID = error.requestID;
    throw failure;
  }
}

function readReply(response: ServerResponse): EnrollReply {
  const reply = EnrollReply.safeParse(readEnrollResponse(response));
  if (reply.success) return reply.data;
  throw new AgentError(
    "Unexpected response from the server (wrong format). Check that --server is the address of a Lightkeeper server and that the agent is up to date.",
  );
}

function readEnrollResponse(response: ServerResponse): unknown {
  try {
    return readResponse(response);
  } catch (error) {
    const [first, ...rest] = error instanceof RequestRejected ? error.errors : [];
    if (rest.length === 0 && first?.path === "code" && first.code === "ERR_INVALID_VALUE")
      throw new AgentError(
        "Invalid enrollment code. It may be mistyped, already used, replaced by a newer one or expired. Generate a new code in the console.",
      );
    if (rest.length === 0 && first?.code === "ERR_HOST_BLOCKED")
      throw new AgentError("This host is blocked. Unblock it in the console, then enroll with the new code.");
    throw error;
  }
}
