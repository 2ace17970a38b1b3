/** Trades a one-time code for an identity. The private keys are made here and stay here. */
import { EnrollReply } from "@lightkeeper/contract/agent";
import { readCertificate } from "./config.ts";
import { Failure, sentenceOf } from "./failure.ts";
import { rememberGeneration } from "./generations.ts";
import { post, Unreachable } from "./http.ts";
import type { Answer } from "./http.ts";
import { createHostKeys, createNebulaKeys } from "./keys.ts";
import { readNebulaVersion } from "./nebula.ts";
import { parseTrustedKeys, toBase64 } from "./protocol.ts";
import { readAnswer, Refused } from "./server.ts";
import type { State, StateDirectory } from "./state.ts";
import { describeEnrollment } from "./status.ts";
import { decode } from "./sync.ts";
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
  const known = readKnown(directory, isForced);
  if (known && !isForced)
    throw new Failure(
      `This host is already enrolled as ${describeEnrollment(known)}. To give that up for another: enroll --force`,
    );
  // Whatever can fail on this machine must fail before the code is used up.
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
  const reply = readReply(await ask(server, JSON.stringify(request), userAgent(nebulaVersion)));
  const { hostID, counter, organization, network, host } = reply;
  const config = decode(reply.config);
  const certificate = readCertificate(config);
  const trustedKeys = decode(reply.trustedKeys);
  parseTrustedKeys(trustedKeys);
  if (certificate === undefined) throw new Failure("The server's answer holds no certificate.");

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
    previous: known?.server === server && known.hostID === hostID ? rememberGeneration(known) : [],
  };
  directory.saveEnrollment(state);
  return state;
}

/** A state that cannot be read is no reason not to replace it. */
function readKnown(directory: StateDirectory, isForced: boolean): State | undefined {
  try {
    return directory.peek();
  } catch (error) {
    if (isForced) return undefined;
    throw error;
  }
}

async function ask(server: string, body: string, agent: string): Promise<Answer> {
  try {
    return await post(server, "/v2/enroll", body, { userAgent: agent, timeoutSeconds: ENROLL_SECONDS });
  } catch (error) {
    const advice =
      error instanceof Unreachable && error.wasSent
        ? "The code works once and may be used up: get a new one in the console and enroll again."
        : "Nothing was sent, so the code is still good.";
    throw new Failure(`${sentenceOf(error)} ${advice}`);
  }
}

function readReply(answer: Answer): EnrollReply {
  const reply = EnrollReply.safeParse(readAnswerInWords(answer));
  if (reply.success) return reply.data;
  throw new Failure(
    "The server's answer is not in the agreed form. Is this the address of a Lightkeeper server, and the agent new enough for it?",
  );
}

function readAnswerInWords(answer: Answer): unknown {
  try {
    return readAnswer(answer);
  } catch (error) {
    const [first, ...more] = error instanceof Refused ? error.errors : [];
    if (more.length === 0 && first?.path === "code" && first.code === "ERR_INVALID_VALUE")
      throw new Failure(
        "The server does not know this code: it was mistyped, used before, replaced by a newer one, or has expired. Get a new one in the console.",
      );
    if (more.length === 0 && first?.code === "ERR_HOST_BLOCKED")
      throw new Failure("This host is blocked. Unblock it in the console, which also gives a new code.");
    throw error;
  }
}
