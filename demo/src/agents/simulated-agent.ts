/**
 * An agent without nebula that sends the same messages as a real one, with the same timing. Parsed keys are cached and
 * the keys of the next update can be created in advance, because thousands of agents share the machine here.
 */
import { createHash, createPrivateKey, type KeyObject, sign, verify } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type AgentAction,
  EnrollReply,
  type LongPollReply,
  type ReportStatus,
  type SignedReply,
  type UpdateReply,
} from "@lightkeeper/contract/agent";
import {
  backoff,
  BACKOFF_SECONDS,
  parseTrustedKeys,
  POLL_SPACING_SECONDS,
  REPORT_WAIT_MAX_SECONDS,
  ReportQueue,
  toBase64,
} from "@lightkeeper/agent/protocol";
import { type Post, RequestRejected } from "./connections.ts";
import { createSigningKey, createTunnelKey, type PreparedUpdate, prepareUpdate } from "./prepared-update.ts";

const UPDATES = ["DoUpdate", "DoConfigUpdate"];
const UNAUTHORIZED = 401;

/** Simulates testing and applying a configuration. */
const APPLY_SECONDS = 0.25;

/** The part of a report that doesn't follow from the configuration. */
export type Status = Partial<ReportStatus> & Pick<ReportStatus, "nebulaVersion">;

export interface Behavior {
  /** Sends a request with the agent's User-Agent. */
  post: Post;
  describeStatus(): Status;
  /** The debug commands that the agent supports. */
  commands?: readonly string[];
  /** Returns the response to a debug command; for StreamLogs, the lines of the log. */
  runCommand?(action: AgentAction): unknown;
  /** The agent has a new, verified configuration. */
  onUpdate?(): void;
  onSend?(type: string): void;
  /** A message was rejected or got no reply. */
  onFailure?(error: unknown): void;
  /** The agent's credentials were rejected. */
  onLost?(): void;
  /** The agent's clock, in milliseconds since 1970. */
  now?(): number;
}

export interface AgentState {
  hostID: string;
  counter: number;
  /** The overlay address. */
  ipAddress: string;
  /** PKCS#8, PEM. */
  signingKey: string;
  trustedKeys: string;
  config: string;
}

const decode = (base64: string) => Buffer.from(base64, "base64").toString("utf8");

/** Parsed once for all agents of an organization. */
const parsedKeys = new Map<string, KeyObject[]>();

function parseKeysOnce(bundle: string): KeyObject[] {
  const keys = parsedKeys.get(bundle) ?? parseTrustedKeys(bundle).map(({ key }) => key);
  parsedKeys.set(bundle, keys);
  return keys;
}

export class SimulatedAgent {
  readonly #behavior: Behavior;
  #state: Omit<AgentState, "signingKey">;
  #key: KeyObject;
  #prepared: PreparedUpdate | undefined;
  #lastTimestamp = 0;
  /** The server expects the next report with the next poll. */
  #reportsWithPoll = false;
  readonly #reports = new ReportQueue(() => this.#sendReport());

  private constructor(behavior: Behavior, state: Omit<AgentState, "signingKey">, key: KeyObject) {
    this.#behavior = behavior;
    this.#state = state;
    this.#key = key;
  }

  static restore(behavior: Behavior, { signingKey, ...state }: AgentState): SimulatedAgent {
    return new SimulatedAgent(behavior, state, createPrivateKey(signingKey));
  }

  static async enroll(behavior: Behavior, code: string): Promise<SimulatedAgent> {
    const { privateKey, publicKey } = createSigningKey();
    const request = {
      code,
      dhPubkey: createTunnelKey(),
      edPubkey: publicKey,
      nebulaPubkeyP256: null,
      hostPubkeyP256: null,
      timestamp: new Date(behavior.now?.() ?? Date.now()).toISOString(),
    };
    const reply = EnrollReply.parse(await behavior.post("/v2/enroll", JSON.stringify(request)));
    const state = {
      hostID: reply.hostID,
      counter: reply.counter,
      ipAddress: reply.host.ipAddress,
      trustedKeys: decode(reply.trustedKeys),
      config: decode(reply.config),
    };
    return new SimulatedAgent(behavior, state, privateKey);
  }

  get state(): AgentState {
    const signingKey = this.#key.export({ type: "pkcs8", format: "pem" }) as string;
    return { ...this.#state, signingKey };
  }

  get hostID(): string {
    return this.#state.hostID;
  }

  get ipAddress(): string {
    return this.#state.ipAddress;
  }

  get config(): string {
    return this.#state.config;
  }

  /** Polls until the credentials are rejected or `stop` is aborted. */
  async run(stop = new AbortController().signal): Promise<void> {
    let failures = 0;
    while (!stop.aborted) {
      const startedAt = Date.now();
      let pauseSeconds = 0;
      try {
        await this.#pollOnce();
        failures = 0;
        pauseSeconds = Math.max(0, POLL_SPACING_SECONDS - (Date.now() - startedAt) / 1000);
      } catch (error) {
        if (error instanceof RequestRejected && error.status === UNAUTHORIZED)
          return this.#behavior.onLost?.();
        pauseSeconds = backoff(failures++, BACKOFF_SECONDS);
      }
      if (pauseSeconds > 0)
        await sleep(pauseSeconds * 1000, undefined, { signal: stop }).catch(() => undefined);
    }
  }

  /** Creates the keys of the next update in advance. */
  prepare(): void {
    this.#prepared ??= prepareUpdate("DoConfigUpdate");
  }

  /** Fetches and adopts pending updates without waiting for one. */
  async fetchUpdates(): Promise<void> {
    for (;;) {
      const { updateAvailable } = (await this.#send("CheckForUpdate")) as { updateAvailable: boolean };
      if (!updateAvailable) return;
      const { reply, prepared } = await this.#poll();
      if (!isUpdate(reply.action.command)) return;
      await this.#update(reply, prepared);
    }
  }

  /** Like the real agent, sends one report at a time, and repeats one that failed after the next poll. */
  report(): Promise<void> {
    return this.#reports.send();
  }

  #describeStatus(): ReportStatus {
    return {
      configHash: createHash("sha256").update(this.#state.config).digest("hex"),
      appliedAt: new Date(this.#now()).toISOString(),
      error: null,
      ...this.#behavior.describeStatus(),
    };
  }

  async #sendReport(): Promise<void> {
    const status = this.#describeStatus();
    const { counter } = this.#state;
    try {
      await this.#send("ReportStatus", status);
    } catch (error) {
      // Like the real agent: retry if an update has replaced the credentials.
      if (counter === this.#state.counter) throw error;
      await this.#send("ReportStatus", status);
    }
  }

  #now(): number {
    return this.#behavior.now?.() ?? Date.now();
  }

  async #poll(): Promise<{ reply: LongPollReply; prepared: PreparedUpdate }> {
    const supportedActions = [...UPDATES, ...(this.#behavior.commands ?? [])];
    const prepared = this.#takePrepared();
    const status = this.#reportsWithPoll ? this.#describeStatus() : undefined;
    const value = { supportedActions, update: prepared.value, status };
    try {
      const reply = (await this.#send("LongPollWait", value)) as LongPollReply;
      this.#reportsWithPoll = reply.pauseSeconds !== undefined;
      return { reply, prepared };
    } catch (error) {
      // Nobody has seen these keys.
      if ((error as NodeJS.ErrnoException).code === "ECONNREFUSED") this.#prepared = prepared;
      throw error;
    }
  }

  #takePrepared(): PreparedUpdate {
    const prepared = this.#prepared ?? prepareUpdate("DoConfigUpdate");
    this.#prepared = undefined;
    return prepared;
  }

  async #pollOnce(): Promise<void> {
    const { reply, prepared } = await this.#poll();
    const { action, responseToken } = reply;
    if (this.#reports.isDue) void this.report();
    if (action.command === "NoOp") return;
    if (!isUpdate(action.command)) {
      const response = this.#behavior.runCommand?.(action);
      if (action.command !== "StreamLogs") await this.#send("CommandResponse", { responseToken, response });
      else await this.#send("CommandResponse", { responseToken, response: null }, String(response));
      return;
    }
    await this.#update(reply, prepared);
    await sleep(Math.max(APPLY_SECONDS, reply.pauseSeconds ?? 0) * 1000);
    if (this.#reportsWithPoll) return;
    await Promise.race([this.report(), sleep(REPORT_WAIT_MAX_SECONDS * 1000, undefined, { ref: false })]);
  }

  /** Fetches the update unless it came with the reply to the poll. */
  async #update({ action, update }: LongPollReply, prepared: PreparedUpdate): Promise<void> {
    if (update) return this.#adopt(update, prepared);
    const next = prepareUpdate(action.command);
    this.#adopt((await this.#send(action.command, next.value)) as SignedReply, next);
  }

  #adopt(signed: SignedReply, { privateKey, value: { nonce } }: PreparedUpdate): void {
    const reply = this.#verify(signed);
    if (reply.nonce !== nonce) throw new Error("The update has a wrong nonce");
    if (reply.counter <= this.#state.counter) throw new Error("The update is outdated");
    this.#state = {
      ...this.#state,
      counter: reply.counter,
      trustedKeys: decode(reply.trustedKeys),
      config: decode(reply.config),
    };
    this.#key = privateKey;
    this.#behavior.onUpdate?.();
  }

  #verify({ message, signature }: SignedReply): UpdateReply {
    const bytes = Buffer.from(message, "base64");
    const isSigned = parseKeysOnce(this.#state.trustedKeys).some((trustedKey) =>
      verify(null, bytes, trustedKey, Buffer.from(signature, "base64")),
    );
    if (!isSigned) throw new Error("The update isn't signed by a trusted key");
    return JSON.parse(bytes.toString("utf8")) as UpdateReply;
  }

  /** A stream follows the message in the same body. */
  async #send(type: string, value?: object, stream = ""): Promise<unknown> {
    const { hostID, counter } = this.#state;
    const encoded = value === undefined ? null : toBase64(JSON.stringify(value));
    const message = toBase64(JSON.stringify({ type, value: encoded, timestamp: this.#nextTimestamp() }));
    const signature = toBase64(sign(null, Buffer.from(message), this.#key));
    const body = JSON.stringify({ version: 1, hostID, counter, message, signature });
    this.#behavior.onSend?.(type);
    try {
      return await this.#behavior.post("/v1/dnclient", body + stream);
    } catch (error) {
      this.#behavior.onFailure?.(error);
      throw error;
    }
  }

  /** Never returns the same time twice. */
  #nextTimestamp(): string {
    this.#lastTimestamp = Math.max(this.#now(), this.#lastTimestamp + 1);
    return new Date(this.#lastTimestamp).toISOString();
  }
}

const isUpdate = (command: string) => UPDATES.includes(command);
