/**
 * A proxy between the machines and the control plane that can lose messages. The server listens on loopback; agents use
 * the address of this proxy.
 */
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, isIPv6 } from "node:net";

/** A message is delivered, never arrives, or arrives but its reply is lost. */
export type Delivery = "delivered" | "lost" | "reply lost";
export interface Message {
  path: string;
  /** For signed messages: LongPollWait, DoUpdate … */
  type: string | undefined;
  /** For signed messages: the sender. */
  hostID: string | undefined;
  body: Buffer;
  /** On the clock of `performance.now()`. */
  at: number;
}
export interface Reply {
  /** The reply to a poll contains the host's configuration. */
  hasUpdate: boolean;
}

export class ControlPlaneProxy {
  readonly url: string;
  decideDelivery: (message: Message) => Delivery = () => "delivered";
  /** Decides for each reply of the server, before it's passed on. */
  decideReply: (message: Message, reply: Reply) => "delivered" | "lost" = () => "delivered";
  /** All messages so far. */
  readonly messages: Message[] = [];
  private readonly server: Server;

  private constructor(server: Server, url: string) {
    this.server = server;
    this.url = url;
  }

  static async create(host: string, target: () => string): Promise<ControlPlaneProxy> {
    const server = createServer((incoming, outgoing) => void proxy.forward(incoming, outgoing, target()));
    await new Promise<void>((done) => server.listen(0, host, done));
    const { port } = server.address() as AddressInfo;
    const proxy = new ControlPlaneProxy(server, `http://${isIPv6(host) ? `[${host}]` : host}:${port}`);
    return proxy;
  }

  async remove(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  private async forward(incoming: IncomingMessage, outgoing: ServerResponse, target: string): Promise<void> {
    // Chunked requests, such as a stream of log lines, are passed on as they arrive.
    const isStream = incoming.headers["transfer-encoding"] !== undefined;
    const body = isStream ? Buffer.alloc(0) : await readAll(incoming).catch(() => undefined);
    if (!body) return;
    const message = { path: incoming.url ?? "", ...parseMessage(body), body, at: performance.now() };
    this.messages.push(message);
    const delivery = this.decideDelivery(message);
    if (delivery === "lost") return void incoming.socket.destroy();
    const { method, headers, url = "/" } = incoming;
    const call = request(new URL(url, target), {
      method,
      headers: { ...headers, host: new URL(target).host },
    });
    call.on("error", () => outgoing.destroy());
    outgoing.on("close", () => call.destroy());
    const passOn = async (response: IncomingMessage) => {
      const reply = await readAll(response);
      const hasUpdate = message.type === "LongPollWait" && reply.includes('"update":');
      const isLost = this.decideReply(message, { hasUpdate }) === "lost";
      if (isLost || delivery === "reply lost") return void incoming.socket.destroy();
      outgoing.writeHead(response.statusCode ?? 502, response.headers).end(reply);
    };
    call.on("response", (response) => void passOn(response).catch(() => outgoing.destroy()));
    if (isStream) incoming.pipe(call);
    else call.end(body);
  }
}

async function readAll(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function parseMessage(body: Buffer): Pick<Message, "type" | "hostID"> {
  try {
    const { message, hostID } = JSON.parse(body.toString()) as { message: string; hostID: string };
    const { type } = JSON.parse(Buffer.from(message, "base64").toString()) as { type: string };
    return { type, hostID };
  } catch {
    return { type: undefined, hostID: undefined };
  }
}
