/** A minimal client of the agent protocol that sends what real agents send. */
import { createPublicKey, type KeyObject, randomBytes, sign, verify } from "node:crypto";
import { createEnrollmentCode } from "@lightkeeper/contract";
import {
  AgentRequest,
  EnrollReply,
  LongPollReply,
  type ReportStatus,
  SignedReply,
  UpdateReply,
  type UpdateRequest,
} from "@lightkeeper/contract/agent";
import type { Curve } from "@lightkeeper/nebula";
import {
  type KeyPair,
  newHostKey,
  newKeys,
  newP256HostKey,
  newP256TunnelKey,
  newTunnelKey,
  type TunnelKey,
} from "./agent-keys.ts";
import type { Session } from "./server.ts";

export const USER_AGENT = "lightkeeper-agent/1.0.0 (linux; arm64) nebula/1.9.3";

const ED25519_PUBLIC = Buffer.from("302a300506032b6570032100", "hex");
const P256_PUBLIC = Buffer.from("3059301306072a8648ce3d020106082a8648ce3d030107034200", "hex");

const base64 = (text: string | Buffer) => Buffer.from(text).toString("base64");

export function signRequest(
  key: KeyObject,
  { hostID, counter }: { hostID: string; counter: number },
  wrapper: string,
): AgentRequest {
  const message = base64(wrapper);
  const algorithm = key.asymmetricKeyType === "ec" ? "sha256" : null;
  const signature = base64(sign(algorithm, Buffer.from(message), key));
  return { version: 1, hostID, counter, message, signature };
}

export interface AgentResponse {
  status: number;
  data: Record<string, unknown>;
  errors: { code: string; message: string; path?: string }[];
}

export async function post(
  url: string,
  body: string | Buffer,
  userAgent = USER_AGENT,
): Promise<AgentResponse> {
  const response = await fetch(url, { method: "POST", headers: { "user-agent": userAgent }, body });
  const { data = {}, errors = [] } = (await response.json()) as Partial<AgentResponse>;
  return { status: response.status, data, errors };
}

/** Real agents send keys of both curves. */
export const enrollBody = (
  code: string,
  hostKey = newHostKey(),
  tunnelKey = newTunnelKey(),
  p256 = { hostKey: newP256HostKey(), tunnelKey: newP256TunnelKey() },
) => ({
  code,
  dhPubkey: tunnelKey.publicPem,
  edPubkey: hostKey.publicPem,
  nebulaPubkeyP256: p256.tunnelKey.publicPem,
  hostPubkeyP256: p256.hostKey.publicPem,
  timestamp: new Date().toISOString(),
});

/** The stored state of an agent. */
export interface State {
  hostID: string;
  counter: number;
  curve: Curve;
  hostKey: KeyPair;
  tunnelKey: TunnelKey;
  trustedKeys: string;
  config: string;
  /** PEM. */
  certificate: string;
}

type UpdateType = "DoUpdate" | "DoConfigUpdate";

interface PolledUpdate {
  command: string;
  state: State | undefined;
  pauseSeconds: number | undefined;
}

export const decode = (text: string) => Buffer.from(text, "base64").toString("utf8");

function certificateIn(config: string, before: string): string {
  const [, block] = /\n {2}cert: \|-?\n((?: {4}.*\n)+)/.exec(config) ?? [];
  return block?.replace(/^ {4}/gm, "") ?? before;
}

export class TestAgent {
  readonly url: string;
  state: State;
  userAgent = USER_AGENT;
  #skewMs = 0;
  #last = 0;

  constructor(url: string, state: State) {
    this.url = url;
    this.state = state;
  }

  /** How far the agent's clock is ahead. */
  get skewMs(): number {
    return this.#skewMs;
  }
  set skewMs(ms: number) {
    this.#skewMs = ms;
    this.#last = 0;
  }

  static async enroll(url: string, code: string, userAgent = USER_AGENT): Promise<TestAgent> {
    const keys = { "25519": newKeys("25519"), P256: newKeys("P256") };
    const body = enrollBody(code, keys["25519"].hostKey, keys["25519"].tunnelKey, keys.P256);
    const response = await post(`${url}/v2/enroll`, JSON.stringify(body), userAgent);
    if (response.status !== 200) throw new Error(`Enrollment failed: ${JSON.stringify(response)}`);
    const { hostID, counter, trustedKeys, config, network } = EnrollReply.parse(response.data);
    const agent = new TestAgent(url, {
      hostID,
      counter,
      curve: network.curve,
      ...keys[network.curve],
      trustedKeys: decode(trustedKeys),
      config: decode(config),
      certificate: certificateIn(decode(config), ""),
    });
    agent.userAgent = userAgent;
    return agent;
  }

  static async enrollHost(url: string, owner: Session, hostID: string, userAgent = USER_AGENT) {
    const { code } = await owner.call(createEnrollmentCode, { params: { hostID } });
    return TestAgent.enroll(url, code, userAgent);
  }

  /** A timestamp that no other message of this agent has. */
  #timestamp(): string {
    this.#last = Math.max(this.#last + 1, (Date.now() + this.skewMs) * 1000);
    const at = new Date(this.#last / 1000).toISOString();
    return at.replace("Z", `${String(this.#last % 1000).padStart(3, "0")}000Z`);
  }

  request(type: string, value?: object, state = this.state): AgentRequest {
    const encoded = value === undefined ? null : base64(JSON.stringify(value));
    const wrapper = JSON.stringify({ type, value: encoded, timestamp: this.#timestamp() });
    return signRequest(state.hostKey.privateKey, state, wrapper);
  }

  send(type: string, value?: object, state = this.state): Promise<AgentResponse> {
    return post(`${this.url}/v1/dnclient`, JSON.stringify(this.request(type, value, state)), this.userAgent);
  }

  async hasUpdate(): Promise<boolean> {
    const { status, data, errors } = await this.send("CheckForUpdate");
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(errors)}`);
    return data.updateAvailable as boolean;
  }

  async poll(supportedActions = ["DoUpdate", "DoConfigUpdate"]): Promise<LongPollReply> {
    const { status, data, errors } = await this.send("LongPollWait", { supportedActions });
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(errors)}`);
    return data as LongPollReply;
  }

  /** Requests an update and returns the new state without applying it. */
  async fetchUpdate(type: UpdateType): Promise<State> {
    const { request, read } = this.prepareUpdate(type);
    const { status, data, errors } = await this.send(type, request);
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(errors)}`);
    return read(data);
  }

  /** Polls like our agent. Returns the new state, without applying it, if the reply contains an update. */
  async pollForUpdate(value: object = {}): Promise<PolledUpdate> {
    const { request, read } = this.prepareUpdate("DoConfigUpdate");
    const supportedActions = ["DoUpdate", "DoConfigUpdate"];
    const poll = { supportedActions, update: request, ...value };
    const { status, data, errors } = await this.send("LongPollWait", poll);
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(errors)}`);
    const { action, update, pauseSeconds } = LongPollReply.parse(data);
    return { command: action.command, state: update && read(update), pauseSeconds };
  }

  /** Creates the keys of an update. `read` verifies its reply and returns the state after it. */
  prepareUpdate(type: UpdateType): { request: UpdateRequest; read: (reply: unknown) => State } {
    const { hostKey, tunnelKey } = newKeys(this.state.curve);
    const nonce = base64(randomBytes(16));
    const isP256 = this.state.curve === "P256";
    const tunnelPem = type === "DoUpdate" ? tunnelKey.publicPem : null;
    const request = {
      edPubkeyPEM: isP256 ? null : hostKey.publicPem,
      dhPubkeyPEM: isP256 ? null : tunnelPem,
      p256HostPubkeyPEM: isP256 ? hostKey.publicPem : null,
      p256NebulaPubkeyPEM: isP256 ? tunnelPem : null,
      nonce,
    };
    const read = (signed: unknown): State => {
      const bytes = this.verifyReply(SignedReply.parse(signed));
      const reply = UpdateReply.parse(JSON.parse(bytes.toString("utf8")));
      if (reply.nonce !== nonce) throw new Error("The reply has another nonce");
      if (reply.counter <= this.state.counter) throw new Error("The counter did not increase");
      const config = decode(reply.config);
      return {
        ...this.state,
        counter: reply.counter,
        hostKey,
        tunnelKey: type === "DoUpdate" ? tunnelKey : this.state.tunnelKey,
        trustedKeys: decode(reply.trustedKeys),
        config,
        certificate: certificateIn(config, this.state.certificate),
      };
    };
    return { request, read };
  }

  async update(type: UpdateType): Promise<void> {
    this.state = await this.fetchUpdate(type);
  }

  /** Returns the message of a reply; throws unless a trusted key signed it. */
  verifyReply({ message, signature }: SignedReply): Buffer {
    const bytes = Buffer.from(message, "base64");
    const isP256 = this.state.curve === "P256";
    const blocks = this.state.trustedKeys.match(
      isP256
        ? /-----BEGIN NEBULA ECDSA P256 PUBLIC KEY-----\n[^-]+-----END[^\n]+\n/g
        : /-----BEGIN NEBULA ED25519 PUBLIC KEY-----\n[^-]+-----END[^\n]+\n/g,
    );
    if (blocks?.join("") !== this.state.trustedKeys)
      throw new Error("The trusted keys contain something else");
    const isTrusted = blocks.some((block) => {
      const raw = Buffer.from(block.replace(/-----[^-]+-----/g, ""), "base64");
      const key = createPublicKey({
        key: Buffer.concat([isP256 ? P256_PUBLIC : ED25519_PUBLIC, raw]),
        format: "der",
        type: "spki",
      });
      return verify(isP256 ? "sha256" : null, bytes, key, Buffer.from(signature, "base64"));
    });
    if (!isTrusted) throw new Error("The reply is not signed by a trusted key");
    return bytes;
  }

  async report(status: Partial<ReportStatus> & Pick<ReportStatus, "configHash">): Promise<AgentResponse> {
    return this.send("ReportStatus", {
      nebulaVersion: "1.9.3",
      appliedAt: new Date().toISOString(),
      ...status,
    });
  }
}
