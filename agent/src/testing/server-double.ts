/**
 * A server that speaks the agent protocol over real HTTP with real signatures, written from the protocol's
 * description and nothing of the agent's, and that can misbehave on request.
 */
import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { encodePem } from "@lightkeeper/nebula";
import type { ConfigInput } from "@lightkeeper/nebula";
import { ADDRESS, configFor, createNetwork } from "./network.ts";

export type Fault =
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

export interface Heard {
  readonly type: string;
  readonly value: Record<string, unknown> | null;
  readonly headers: IncomingHttpHeaders;
}

interface Credential {
  readonly key: ReturnType<typeof createPublicKey>;
  readonly counter: number;
}

const HOST_ID = "host-AAAAAAAAAAAAAAAAAAAAAAAAAA";
const base64 = (text: string | Buffer) => Buffer.from(text).toString("base64");
const unbase64 = (text: unknown) => Buffer.from(String(text), "base64");

export class ServerDouble {
  readonly heard: Heard[] = [];
  readonly streams: string[] = [];
  /** Every request's body, as it came. */
  readonly bodies: string[] = [];
  readonly codes = new Set<string>();
  readonly network = createNetwork();
  url = "";
  /** How long a poll with nothing to do is held. */
  holdMs = 300;
  /** Added to the real time. */
  clockMs = 0;
  isBlocked = false;
  /** Changes to the configuration it sends. */
  settings: Partial<ConfigInput> = {};
  /** What it sent last. */
  config = "";
  private readonly faults: { type: string; fault: Fault }[] = [];
  private readonly holds = new Map<string, Promise<void>>();
  private readonly actions: { action: object; responseToken: string }[] = [];
  private readonly seen = new Set<string>();
  private readonly signingKeys = generateKeyPairSync("ed25519");
  private readonly foreignKeys = generateKeyPairSync("ed25519");
  private current: Credential | undefined;
  private pending: Credential | undefined;
  private certificate = "";
  private readonly http = createServer((request, response) => {
    // Of an agent that was killed while it spoke.
    this.answer(request, response).catch(() => response.destroy());
  });

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

  /** The next message of this type goes wrong. */
  misbehave(type: string, fault: Fault): void {
    this.faults.push({ type, fault });
  }

  /** Messages of this type are answered when what this returns is called. */
  hold(type: string): () => void {
    let release: () => void = () => undefined;
    this.holds.set(type, new Promise((resolve) => (release = resolve)));
    return release;
  }

  /** For the next poll to bring. */
  offer(command: string, args?: Record<string, unknown>, responseToken = ""): void {
    this.actions.push({ action: { command, args }, responseToken });
  }

  /** Whether everything offered was fetched. */
  isIdle(): boolean {
    return this.actions.length === 0;
  }

  of(type: string): Heard[] {
    return this.heard.filter((message) => message.type === type);
  }

  configHash(): string {
    return createHash("sha256").update(this.config).digest("hex");
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader("Date", new Date(Date.now() + this.clockMs).toUTCString());
    const respond = (status: number, body: unknown) => {
      response.writeHead(status).end(JSON.stringify(body));
    };
    const refuse = (status: number, error: object) => respond(status, { errors: [error] });
    const chunks = request.setEncoding("utf8")[Symbol.asyncIterator]() as AsyncIterator<string>;
    let text = "";
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      text += next.value;
      if (text.includes("}")) break;
    }
    this.bodies.push(text);
    if (request.url === "/v2/enroll") this.enroll(JSON.parse(text), request, respond, refuse);
    else await this.converse(text, chunks, request, response, respond, refuse);
  }

  private enroll(
    body: Record<string, string>,
    { headers }: IncomingMessage,
    respond: (status: number, body: unknown) => void,
    refuse: (status: number, error: object) => void,
  ): void {
    this.heard.push({ type: "Enroll", value: body, headers });
    const fault = this.takeFault("Enroll");
    if (this.isBlocked) return refuse(403, { code: "ERR_HOST_BLOCKED", message: "host is blocked" });
    if (!this.codes.delete(body.code ?? ""))
      return refuse(400, { code: "ERR_INVALID_VALUE", path: "code", message: "invalid code" });
    this.current = { key: readHostKey(unbase64(body.edPubkey).toString()), counter: 1 };
    this.pending = undefined;
    this.certificate = this.network.issue(unbase64(body.dhPubkey).toString());
    const data = { hostID: HOST_ID, ...this.describeHost(1, this.certificate, fault) };
    if (fault === "lose the reply") this.http.closeAllConnections();
    else respond(200, { data });
  }

  /** The envelope is judged when it has come; what follows it is a stream. */
  private async converse(
    text: string,
    chunks: AsyncIterator<string>,
    { headers }: IncomingMessage,
    response: ServerResponse,
    respond: (status: number, body: unknown) => void,
    refuse: (status: number, error: object) => void,
  ): Promise<void> {
    const end = text.indexOf("}") + 1;
    const envelope: Envelope = JSON.parse(text.slice(0, end));
    if (!this.accepts(envelope)) return refuse(401, { code: "ERR_UNAUTHORIZED", message: "unauthorized" });
    const message = JSON.parse(unbase64(envelope.message).toString());
    const skew = Math.abs(Date.parse(message.timestamp) - Date.now() - this.clockMs);
    if (skew > 300_000 || this.seen.has(envelope.signature))
      return refuse(400, { code: "ERR_INVALID_VALUE", message: "the timestamp is off, or was seen before" });
    this.seen.add(envelope.signature);
    const value = message.value === null ? null : JSON.parse(unbase64(message.value).toString());
    this.heard.push({ type: message.type, value, headers });
    let stream = text.slice(end);
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) stream += next.value;
    if (stream !== "") this.streams.push(stream);
    await this.holds.get(message.type);
    const fault = this.takeFault(message.type);
    if (fault === "500 without errors") return respond(500, {});
    if (fault === "401") return refuse(401, { code: "ERR_UNAUTHORIZED", message: "unauthorized" });
    const data = await this.dataFor(message.type, value, fault, response);
    if (fault === "lose the reply") response.destroy();
    else respond(200, { data });
  }

  private async dataFor(
    type: string,
    value: Record<string, string>,
    fault: Fault | undefined,
    response: ServerResponse,
  ): Promise<unknown> {
    if (type === "LongPollWait") return this.nextAction(response);
    if (type === "DoUpdate" || type === "DoConfigUpdate") return this.update(type, value, fault);
    return {};
  }

  private async nextAction(response: ServerResponse): Promise<unknown> {
    const deadline = Date.now() + this.holdMs;
    while (this.actions.length === 0 && Date.now() < deadline && !response.destroyed)
      await new Promise((resolve) => setTimeout(resolve, 10));
    // Nobody is there any more: what there is to do waits for the next poll.
    const action = response.destroyed ? undefined : this.actions.shift();
    return action ?? { action: { command: "NoOp" }, responseToken: "" };
  }

  private update(type: string, value: Record<string, string>, fault: Fault | undefined): unknown {
    const counter = (this.current?.counter ?? 0) + (fault === "same counter" ? 0 : 1);
    this.pending = { key: readHostKey(unbase64(value.edPubkeyPEM).toString()), counter };
    if (type === "DoUpdate")
      this.certificate = this.network.issue(unbase64(value.dhPubkeyPEM).toString(), {
        groups: [`update:${counter}`],
      });
    const nonce = fault === "wrong nonce" ? base64(Buffer.alloc(16)) : value.nonce;
    const certificate = type === "DoUpdate" ? this.certificate : undefined;
    const reply = Buffer.from(JSON.stringify({ ...this.describeHost(counter, certificate, fault), nonce }));
    const { privateKey } = fault === "foreign signature" ? this.foreignKeys : this.signingKeys;
    return { version: 1, message: base64(reply), signature: base64(sign(null, reply, privateKey)) };
  }

  private describeHost(counter: number, certificate: string | undefined, fault: Fault | undefined) {
    this.config = configFor(this.network, certificate, this.settings);
    const raw = this.signingKeys.publicKey.export({ type: "spki", format: "der" }).subarray(-32);
    const trusted = encodePem("NEBULA ED25519 PUBLIC KEY", raw);
    return {
      config: base64(this.config),
      counter,
      trustedKeys: base64(fault === "broken trusted keys" ? `${trusted}\n` : trusted),
      organization: { id: "org-1", name: "Example" },
      network: {
        id: "network-1",
        name: "Network1",
        curve: "25519",
        cidr: "100.100.0.0/22",
        cidrs: ["100.100.0.0/22"],
      },
      host: { id: HOST_ID, name: "web-1", ipAddress: ADDRESS, ipAddresses: [ADDRESS] },
      endpointOIDC: null,
    };
  }

  /** The old key stays good until the new one has been used. */
  private accepts({ hostID, counter, message, signature }: Envelope): boolean {
    const credential = [this.current, this.pending].find(
      (known) =>
        known?.counter === counter && verify(null, Buffer.from(message), known.key, unbase64(signature)),
    );
    if (this.isBlocked || hostID !== HOST_ID || !credential) return false;
    if (credential === this.pending) {
      this.current = this.pending;
      this.pending = undefined;
    }
    return true;
  }

  private takeFault(type: string): Fault | undefined {
    const index = this.faults.findIndex((planned) => planned.type === type);
    return index === -1 ? undefined : this.faults.splice(index, 1)[0]?.fault;
  }
}

function readHostKey(pem: string) {
  const [, body] = /^-----BEGIN DEFINED HOST ED25519 PUBLIC KEY-----\n(.*)\n-----END/s.exec(pem) ?? [];
  return createPublicKey({ key: unbase64(body), format: "der", type: "spki" });
}
