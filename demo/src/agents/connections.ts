/**
 * HTTP connections of a fleet, kept alive as if every agent had its own. A minimal HTTP client, because thousands of
 * agents share the machine here.
 */
import { connect, type Socket } from "node:net";

/** Returns the `data` of the response. The body must be ASCII. Aborting closes the connection. */
export type Post = (path: string, body: string, signal?: AbortSignal) => Promise<unknown>;

export class RequestRejected extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(`${status} ${text}`);
    this.status = status;
  }
}

interface HttpReply {
  status: number;
  text: string;
  isKeptAlive: boolean;
}

/** The timeout of real agents. */
const CALL_MS = 120_000;
const HEAD_END = Buffer.from("\r\n\r\n");

/** Returns undefined until the reply is complete. */
function parseReply(bytes: Buffer): HttpReply | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd === -1) return undefined;
  const head = bytes.toString("latin1", 0, headEnd).toLowerCase();
  const length = Number(/\r\ncontent-length: (\d+)/.exec(head)?.[1] ?? Number.NaN);
  if (Number.isNaN(length)) throw new Error(`A reply without content-length: ${head}`);
  const start = headEnd + HEAD_END.length;
  if (bytes.length < start + length) return undefined;
  return {
    status: Number(head.slice("http/1.1 ".length, "http/1.1 200".length)),
    text: bytes.toString("utf8", start, start + length),
    isKeptAlive: !head.includes("\r\nconnection: close"),
  };
}

class Connection {
  readonly #socket: Socket;
  #read: Buffer = Buffer.alloc(0);
  #settle: ((reply: HttpReply | Error) => void) | undefined;

  constructor(host: string, port: number, onClosed: (connection: Connection) => void) {
    this.#socket = connect({ host, port, noDelay: true });
    this.#socket.setTimeout(CALL_MS, () => this.#socket.destroy(new Error("The request timed out")));
    this.#socket.on("data", (chunk) => this.#receive(chunk));
    this.#socket.on("error", (error) => this.#settle?.(error));
    this.#socket.on("close", () => {
      onClosed(this);
      this.#settle?.(new Error("The server closed the connection"));
    });
  }

  send(request: string): Promise<HttpReply> {
    return new Promise((resolve, reject) => {
      this.#settle = (reply) => {
        this.#settle = undefined;
        if (reply instanceof Error) reject(reply);
        else resolve(reply);
      };
      this.#socket.write(request, "latin1");
    });
  }

  end(): void {
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#read = this.#read.length === 0 ? chunk : Buffer.concat([this.#read, chunk]);
    try {
      const reply = parseReply(this.#read);
      if (!reply) return;
      this.#read = Buffer.alloc(0);
      this.#settle?.(reply);
    } catch (error) {
      this.#socket.destroy(error as Error);
    }
  }
}

export function connectTo(url: string, userAgent: string): Post {
  const { host: authority, hostname, port } = new URL(url);
  const idle = new Set<Connection>();
  const takeConnection = (): Connection => {
    const [connection] = idle;
    if (!connection) return new Connection(hostname, Number(port), (closed) => idle.delete(closed));
    idle.delete(connection);
    return connection;
  };
  const headers = `Host: ${authority}\r\nUser-Agent: ${userAgent}`;
  return async (path, body, signal) => {
    signal?.throwIfAborted();
    const connection = takeConnection();
    const end = () => connection.end();
    signal?.addEventListener("abort", end);
    const { status, text, isKeptAlive } = await connection
      .send(`POST ${path} HTTP/1.1\r\n${headers}\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
      .finally(() => signal?.removeEventListener("abort", end));
    if (isKeptAlive) idle.add(connection);
    else connection.end();
    if (status !== 200) throw new RequestRejected(status, text);
    return (JSON.parse(text) as { data: unknown }).data;
  };
}
