/**
 * An agent without nebula that sends the same messages as a real one, with the same timing. Parsed keys are cached and
 * the next key pair is created in advance, because thousands of agents share the machine here.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign, verify } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  EnrollReply,
  type LongPollReply,
  type SignedReply,
  type UpdateReply,
} from "@lightkeeper/contract/agent";
import {
  backoff,
  BACKOFF_SECONDS,
  parseTrustedKeys,
  POLL_SPACING_SECONDS,
  REPORT_WAIT_MAX_SECONDS,
  toBase64,
  userAgent,
} from "@lightkeeper/agent/protocol";
import { encodePem } from "@lightkeeper/nebula";
import { type Post, RequestRejected } from "./fleet-connections.ts";

const NEBULA_VERSION = "1.9.3";
export const USER_AGENT = userAgent(NEBULA_VERSION);
const SUPPORTED_ACTIONS = ["DoUpdate", "DoConfigUpdate"];
const NONCE_LENGTH = 16;
const KEY_LENGTH = 32;
const UNAUTHORIZED = 401;
const SIGNING_KEY = "DEFINED HOST ED25519 PUBLIC KEY";

/** Simulates testing and applying a configuration. */
const APPLY_SECONDS = 0.25;

interface SigningKey {
  privateKey: KeyObject;
  /** Base64 of the PEM text. */
  publicPem: string;
}

function createSigningKey(): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const der = toBase64(publicKey.export({ type: "spki", format: "der" }));
  const pem = `-----BEGIN ${SIGNING_KEY}-----\n${der}\n-----END ${SIGNING_KEY}-----\n`;
  return { privateKey, publicPem: toBase64(pem) };
}

const createTunnelKey = () => toBase64(encodePem("NEBULA X25519 PUBLIC KEY", randomBytes(KEY_LENGTH)));

const decode = (base64: string) => Buffer.from(base64, "base64").toString("utf8");

/** Parsed once for all agents of an organization. */
const parsedKeys = new Map<string, KeyObject[]>();

function parseKeysOnce(bundle: string): KeyObject[] {
  const keys = parsedKeys.get(bundle) ?? parseTrustedKeys(bundle).map(({ key }) => key);
  parsedKeys.set(bundle, keys);
  return keys;
}

interface State {
  hostID: string;
  counter: number;
  key: SigningKey;
  trustedKeys: string;
  config: string;
}

export interface Observer {
  /** The agent has a new, verified configuration. */
  onUpdate(agent: SimulatedAgent): void;
  onSend(type: string): void;
  /** A message was rejected or got no reply. */
  onFailure(error: unknown): void;
  /** The agent's credentials were rejected. */
  onLost(): void;
}

export class SimulatedAgent {
  readonly #post: Post;
  readonly #observer: Observer;
  #state: State;
  #spareKey: SigningKey | undefined;
  #lastTimestamp = 0;

  private constructor(post: Post, observer: Observer, state: State) {
    this.#post = post;
    this.#observer = observer;
    this.#state = state;
  }

  static async enroll(post: Post, observer: Observer, code: string): Promise<SimulatedAgent> {
    const key = createSigningKey();
    const request = {
      code,
      dhPubkey: createTunnelKey(),
      edPubkey: key.publicPem,
      nebulaPubkeyP256: null,
      hostPubkeyP256: null,
      timestamp: new Date().toISOString(),
    };
    const reply = EnrollReply.parse(await post("/v2/enroll", JSON.stringify(request)));
    return new SimulatedAgent(post, observer, {
      hostID: reply.hostID,
      counter: reply.counter,
      key,
      trustedKeys: decode(reply.trustedKeys),
      config: decode(reply.config),
    });
  }

  get config(): string {
    return this.#state.config;
  }

  /** Polls until the credentials are rejected. */
  async run(): Promise<void> {
    let failures = 0;
    for (;;) {
      const startedAt = Date.now();
      let pauseSeconds = 0;
      try {
        await this.#poll();
        failures = 0;
        pauseSeconds = Math.max(0, POLL_SPACING_SECONDS - (Date.now() - startedAt) / 1000);
      } catch (error) {
        if (error instanceof RequestRejected && error.status === UNAUTHORIZED) return this.#observer.onLost();
        pauseSeconds = backoff(failures++, BACKOFF_SECONDS);
      }
      if (pauseSeconds > 0) await sleep(pauseSeconds * 1000);
    }
  }

  prepare(): void {
    this.#spareKey ??= createSigningKey();
  }

  async report(): Promise<void> {
    const status = {
      configHash: createHash("sha256").update(this.#state.config).digest("hex"),
      nebulaVersion: NEBULA_VERSION,
      appliedAt: new Date().toISOString(),
      error: null,
    };
    const { counter } = this.#state;
    try {
      await this.#send("ReportStatus", status);
    } catch {
      // Like the real agent: retry if an update has replaced the credentials, else with the next report.
      if (counter !== this.#state.counter) await this.#send("ReportStatus", status).catch(() => undefined);
    }
  }

  async #poll(): Promise<void> {
    const { action } = (await this.#send("LongPollWait", {
      supportedActions: SUPPORTED_ACTIONS,
    })) as LongPollReply;
    if (action.command === "NoOp") return;
    if (action.command !== "DoUpdate" && action.command !== "DoConfigUpdate")
      throw new Error(`The server sent an unsupported command: ${action.command}`);
    await this.#update(action.command);
    await sleep(APPLY_SECONDS * 1000);
    await Promise.race([this.report(), sleep(REPORT_WAIT_MAX_SECONDS * 1000, undefined, { ref: false })]);
  }

  async #update(kind: "DoUpdate" | "DoConfigUpdate"): Promise<void> {
    const key = this.#spareKey ?? createSigningKey();
    this.#spareKey = undefined;
    const nonce = toBase64(randomBytes(NONCE_LENGTH));
    const value = {
      edPubkeyPEM: key.publicPem,
      p256HostPubkeyPEM: null,
      ...(kind === "DoUpdate" && { dhPubkeyPEM: createTunnelKey(), p256NebulaPubkeyPEM: null }),
      nonce,
    };
    const { message, signature } = (await this.#send(kind, value)) as SignedReply;
    const bytes = Buffer.from(message, "base64");
    const isSigned = parseKeysOnce(this.#state.trustedKeys).some((trustedKey) =>
      verify(null, bytes, trustedKey, Buffer.from(signature, "base64")),
    );
    if (!isSigned) throw new Error("The update isn't signed by a trusted key");
    const reply = JSON.parse(bytes.toString("utf8")) as UpdateReply;
    if (reply.nonce !== nonce) throw new Error("The update has a wrong nonce");
    if (reply.counter <= this.#state.counter) throw new Error("The update is outdated");
    this.#state = {
      ...this.#state,
      counter: reply.counter,
      key,
      trustedKeys: decode(reply.trustedKeys),
      config: decode(reply.config),
    };
    this.#observer.onUpdate(this);
  }

  async #send(type: string, value: object): Promise<unknown> {
    const { hostID, counter, key } = this.#state;
    const wrapper = { type, value: toBase64(JSON.stringify(value)), timestamp: this.#nextTimestamp() };
    const message = toBase64(JSON.stringify(wrapper));
    const signature = toBase64(sign(null, Buffer.from(message), key.privateKey));
    const body = JSON.stringify({ version: 1, hostID, counter, message, signature });
    this.#observer.onSend(type);
    try {
      return await this.#post("/v1/dnclient", body);
    } catch (error) {
      this.#observer.onFailure(error);
      throw error;
    }
  }

  /** Never returns the same time twice. */
  #nextTimestamp(): string {
    this.#lastTimestamp = Math.max(Date.now(), this.#lastTimestamp + 1);
    return new Date(this.#lastTimestamp).toISOString();
  }
}
