/**
 * The way from the machines to the control plane, as a proxy the tests can put faults into. The server itself
 * listens on loopback; agents call it by the address of this link.
 */
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What becomes of one message: it goes through, never arrives, or arrives and its answer is lost. */
export type Fate = "through" | "lost" | "answer lost";
export interface Message {
  path: string;
  /** Of a signed message: what it asks for (LongPollWait, DoUpdate …). */
  type: string | undefined;
  /** Of a signed message: who sent it. */
  hostID: string | undefined;
  body: Buffer;
  /** On the clock of `performance.now()`. */
  at: number;
}

export class ControlLink {
  readonly url: string;
  fate: (message: Message) => Fate = () => "through";
  /** Told of each answer of the server, before it goes on to whoever asked. */
  answered: (message: Message) => void = () => undefined;
  /** Everything that has been sent over it. */
  readonly seen: Message[] = [];
  private readonly server: Server;

  private constructor(server: Server, url: string) {
    this.server = server;
    this.url = url;
  }

  static async create(host: string, target: () => string): Promise<ControlLink> {
    const server = createServer((incoming, outgoing) => void link.pass(incoming, outgoing, target()));
    await new Promise<void>((done) => server.listen(0, host, done));
    const { port } = server.address() as AddressInfo;
    const link = new ControlLink(server, `http://${host}:${port}`);
    return link;
  }

  async remove(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  private async pass(incoming: IncomingMessage, outgoing: ServerResponse, target: string): Promise<void> {
    // What comes in pieces, such as a stream of log lines, is handed on as it comes.
    const isStream = incoming.headers["transfer-encoding"] !== undefined;
    const body = isStream ? Buffer.alloc(0) : await readAll(incoming).catch(() => undefined);
    if (!body) return;
    const message = { path: incoming.url ?? "", ...read(body), body, at: performance.now() };
    this.seen.push(message);
    const fate = this.fate(message);
    if (fate === "lost") return void incoming.socket.destroy();
    const { method, headers, url = "/" } = incoming;
    const call = request(new URL(url, target), {
      method,
      headers: { ...headers, host: new URL(target).host },
    });
    call.on("error", () => outgoing.destroy());
    outgoing.on("close", () => call.destroy());
    call.on("response", (answer) => {
      this.answered(message);
      if (fate === "answer lost") {
        answer.resume().on("error", () => undefined);
        return void incoming.socket.destroy();
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on("error", () => outgoing.destroy()).pipe(outgoing);
    });
    if (isStream) incoming.pipe(call);
    else call.end(body);
  }
}

async function readAll(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function read(body: Buffer): Pick<Message, "type" | "hostID"> {
  try {
    const { message, hostID } = JSON.parse(body.toString()) as { message: string; hostID: string };
    const { type } = JSON.parse(Buffer.from(message, "base64").toString()) as { type: string };
    return { type, hostID };
  } catch {
    return { type: undefined, hostID: undefined };
  }
}
