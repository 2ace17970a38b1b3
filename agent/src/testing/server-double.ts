/**
 * A server that implements the agent protocol with real HTTP and signatures, independently of the agent's code, and
 * that can fail on request.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { ConfigInput, Curve } from "@lightkeeper/nebula";
import { createTrustedKey, readHostKey, verifyHostSignature } from "./double-keys.ts";
import type { HostKey } from "./double-keys.ts";
import { ADDRESS, configFor, createNetwork } from "./test-network.ts";

export type FailureMode =
  | "lose the reply"
  | "500 without errors"
  | "401"
  | "wrong nonce"
  | "same counter"
  | "foreign signature"
  | "broken trusted keys";

interface Envelope {
  hostID: string;
  counter: number;
  message: string;
  signature: string;
}

export interface ReceivedMessage {
  readonly type: string;
  readonly value: Record<string, unknown> | null;
  readonly headers: IncomingHttpHeaders;
}

interface Credential {
  readonly key: HostKey;
  readonly counter: number;
}

const HOST_ID = "host-AAAAAAAAAAAAAAAAAAAAAAAAAA";
const DUAL_STACK = [`${ADDRESS}/22`, "fd00:100::2/64"];
const base64 = (text: string | Buffer) => Buffer.from(text).toString("base64");
const unbase64 = (text: unknown) => Buffer.from(String(text), "base64");

export class ServerDouble {
  readonly received: ReceivedMessage[] = [];
  readonly streams: string[] = [];
  /** The raw body of every request. */
  readonly bodies: string[] = [];
  readonly codes = new Set<string>();
  readonly network;
  url = "";
  /** How long a poll waits for an action. */
  pollTimeoutMs = 300;
  /** Offset of this server's clock. */
  clockMs = 0;
  isBlocked = false;
  /** Send configurations with the replies to polls, after which the agent pauses. */
  sendsUpdates: { pauseSeconds?: number } | undefined;
  /** The updates that were sent, including those whose replies were lost. */
  updateCount = 0;
  /** Changes to the next configuration. */
  settings: Partial<ConfigInput> = {};
  /** The versions of the next certificates. */
  certificateVersions: readonly (1 | 2)[] = [1];
  /** The configuration that was sent last. */
  config = "";
  private readonly failures: { type: string; mode: FailureMode }[] = [];
  private readonly pauses = new Map<string, Promise<void>>();
  private readonly actions: { action: { command: string }; responseToken: string }[] = [];
  private readonly usedSignatures = new Set<string>();
  private readonly trustedKey;
  private readonly foreignKey;
  private current: Credential | undefined;
  private pending: Credential | undefined;
  private certificate = "";
  private readonly http = createServer((request, response) => {
    // The agent may be killed during a request.
    this.handle(request, response).catch(() => response.destroy());
  });

  constructor(curve: Curve = "25519") {
    this.network = createNetwork(curve);
    this.trustedKey = createTrustedKey(curve);
    this.foreignKey = createTrustedKey(curve);
  }

  async start(port = 0): Promise<this> {
    this.http.listen(port, "127.0.0.1");
    await once(this.http, "listening");
    this.url = `http://127.0.0.1:${(this.http.address() as AddressInfo).port}`;
    return this;
  }

  async stop(): Promise<void> {
    this.http.closeAllConnections();
    this.http.close();
    await once(this.http, "close");
  }

  /** Makes the next message of this type fail. */
  failNext(type: string, mode: FailureMode): void {
    this.failures.push({ type, mode });
  }

  /** Delays replies to messages of this type until the returned function is called. */
  pauseReplies(type: string): () => void {
    let resume: () => void = () => undefined;
    this.pauses.set(type, new Promise((resolve) => (resume = resolve)));
    return resume;
  }

  /** Adds an action for the next poll. */
  enqueueAction(command: string, args?: Record<string, unknown>, responseToken = ""): void {
    const action = { command, args };
    this.actions.push({ action, responseToken });
  }

  /** Whether every action was fetched. */
  isIdle(): boolean {
    return this.actions.length === 0;
  }

  receivedOf(type: string): ReceivedMessage[] {
    return this.received.filter((message) => message.type === type);
  }

  configHash(): string {
    return createHash("sha256").update(this.config).digest("hex");
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader("Date", new Date(Date.now() + this.clockMs).toUTCString());
    const respond = (status: number, body: unknown) => {
      response.writeHead(status).end(JSON.stringify(body));
    };
    const reject = (status: number, error: object) => respond(status, { errors: [error] });
    const chunks = request.setEncoding("utf8")[Symbol.asyncIterator]() as AsyncIterator<string>;
    let text = "";
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      text += next.value;
      if (text.includes("}")) break;
    }
    this.bodies.push(text);
    if (request.url === "/v2/enroll") this.enroll(JSON.parse(text), request, respond, reject);
    else await this.handleMessage(text, chunks, request, response, respond, reject);
  }

  private enroll(
    body: Record<string, string>,
    { headers }: IncomingMessage,
    respond: (status: number, body: unknown) => void,
    reject: (status: number, error: object) => void,
  ): void {
    this.received.push({ type: "Enroll", value: body, headers });
    const failure = this.takeFailure("Enroll");
    if (this.isBlocked) return reject(403, { code: "ERR_HOST_BLOCKED", message: "host is blocked" });
    if (!this.codes.delete(body.code ?? ""))
      return reject(400, { code: "ERR_INVALID_VALUE", path: "code", message: "invalid code" });
    const isEdwards = this.network.curve === "25519";
    this.current = {
      key: readHostKey(unbase64(isEdwards ? body.edPubkey : body.hostPubkeyP256)),
      counter: 1,
    };
    this.pending = undefined;
    this.issueCertificates(unbase64(isEdwards ? body.dhPubkey : body.nebulaPubkeyP256));
    const data = { hostID: HOST_ID, ...this.describeHost(1, this.certificate, failure) };
    if (failure === "lose the reply") this.http.closeAllConnections();
    else respond(200, { data });
  }

  /** Checks the envelope before reading the stream that follows it. */
  private async handleMessage(
    text: string,
    chunks: AsyncIterator<string>,
    { headers }: IncomingMessage,
    response: ServerResponse,
    respond: (status: number, body: unknown) => void,
    reject: (status: number, error: object) => void,
  ): Promise<void> {
    const end = text.indexOf("}") + 1;
    const envelope: Envelope = JSON.parse(text.slice(0, end));
    if (!this.accepts(envelope)) return reject(401, { code: "ERR_UNAUTHORIZED", message: "unauthorized" });
    const message = JSON.parse(unbase64(envelope.message).toString());
    const skew = Math.abs(Date.parse(message.timestamp) - Date.now() - this.clockMs);
    if (skew > 300_000 || this.usedSignatures.has(envelope.signature))
      return reject(400, { code: "ERR_INVALID_VALUE", message: "the timestamp is off, or was seen before" });
    this.usedSignatures.add(envelope.signature);
    const value = message.value === null ? null : JSON.parse(unbase64(message.value).toString());
    this.received.push({ type: message.type, value, headers });
    let stream = text.slice(end);
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) stream += next.value;
    if (stream !== "") this.streams.push(stream);
    await this.pauses.get(message.type);
    const failure = this.takeFailure(message.type);
    if (failure === "500 without errors") return respond(500, {});
    if (failure === "401") return reject(401, { code: "ERR_UNAUTHORIZED", message: "unauthorized" });
    const data = await this.dataFor(message.type, value, failure, response);
    if (failure === "lose the reply") response.destroy();
    else respond(200, { data });
  }

  private async dataFor(
    type: string,
    value: Record<string, string>,
    failure: FailureMode | undefined,
    response: ServerResponse,
  ): Promise<unknown> {
    if (type === "LongPollWait") return this.nextAction(value, failure, response);
    if (type === "DoUpdate" || type === "DoConfigUpdate") return this.update(type, value, failure);
    return {};
  }

  private async nextAction(
    value: Record<string, unknown>,
    failure: FailureMode | undefined,
    response: ServerResponse,
  ): Promise<unknown> {
    const deadline = Date.now() + this.pollTimeoutMs;
    while (this.actions.length === 0 && Date.now() < deadline && !response.destroyed) await sleep(10);
    // If the agent has disconnected, the action stays queued for the next poll.
    const action = response.destroyed ? undefined : this.actions.shift();
    if (!action) return { action: { command: "NoOp" }, responseToken: "" };
    if (!this.sendsUpdates || action.action.command !== "DoConfigUpdate") return action;
    const update = this.update("DoConfigUpdate", value.update as Record<string, string>, failure);
    return { ...action, update, ...this.sendsUpdates };
  }

  private update(type: string, value: Record<string, string>, failure: FailureMode | undefined): unknown {
    this.updateCount += 1;
    const counter = (this.current?.counter ?? 0) + (failure === "same counter" ? 0 : 1);
    const isEdwards = this.network.curve === "25519";
    this.pending = {
      key: readHostKey(unbase64(isEdwards ? value.edPubkeyPEM : value.p256HostPubkeyPEM)),
      counter,
    };
    if (type === "DoUpdate")
      this.issueCertificates(unbase64(isEdwards ? value.dhPubkeyPEM : value.p256NebulaPubkeyPEM), [
        `update:${counter}`,
      ]);
    const nonce = failure === "wrong nonce" ? base64(Buffer.alloc(16)) : value.nonce;
    const certificate = type === "DoUpdate" ? this.certificate : undefined;
    const reply = Buffer.from(JSON.stringify({ ...this.describeHost(counter, certificate, failure), nonce }));
    const key = failure === "foreign signature" ? this.foreignKey : this.trustedKey;
    return { version: 1, message: base64(reply), signature: base64(key.sign(reply)) };
  }

  private issueCertificates(publicKey: Buffer, groups: string[] = []): void {
    const pem = publicKey.toString();
    this.certificate = this.certificateVersions
      .map((version) =>
        version === 1 ? this.network.issue(pem, { groups }) : this.network.issueV2(pem, DUAL_STACK),
      )
      .join("");
  }

  private describeHost(counter: number, certificate: string | undefined, failure: FailureMode | undefined) {
    this.config = configFor(this.network, certificate, this.settings);
    const trusted = this.trustedKey.pem;
    return {
      config: base64(this.config),
      counter,
      trustedKeys: base64(failure === "broken trusted keys" ? `${trusted}\n` : trusted),
      organization: { id: "org-1", name: "Example" },
      network: {
        id: "network-1",
        name: "Network1",
        curve: this.network.curve,
        cidr: "100.100.0.0/22",
        cidrs: ["100.100.0.0/22"],
      },
      host: { id: HOST_ID, name: "web-1", ipAddress: ADDRESS, ipAddresses: [ADDRESS] },
      endpointOIDC: null,
    };
  }

  /** The old key is valid until the new one is used. */
  private accepts({ hostID, counter, message, signature }: Envelope): boolean {
    const credential = [this.current, this.pending].find(
      (known) =>
        known?.counter === counter &&
        verifyHostSignature(known.key, Buffer.from(message), unbase64(signature)),
    );
    if (this.isBlocked || hostID !== HOST_ID || !credential) return false;
    if (credential === this.pending) {
      this.current = this.pending;
      this.pending = undefined;
    }
    return true;
  }

  private takeFailure(type: string): FailureMode | undefined {
    const index = this.failures.findIndex((failure) => failure.type === type);
    return index === -1 ? undefined : this.failures.splice(index, 1)[0]?.mode;
  }
}
