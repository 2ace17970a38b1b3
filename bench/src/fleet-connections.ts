/**
 * How a fleet's requests get to the server: each on a connection that is kept, as if every agent had its own. It
 * speaks just enough HTTP for this one server, because what thousands of clients cost here real ones spend elsewhere.
 */
import { connect, type Socket } from "node:net";

/** Answers `data`. What is sent is ASCII. */
export type Post = (path: string, body: string) => Promise<unknown>;

export class Refused extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(`${status} ${text}`);
    this.status = status;
  }
}

interface Answer {
  status: number;
  text: string;
  isKept: boolean;
}

/** As long as real agents wait for an answer. */
const CALL_MS = 120_000;
const HEAD_END = Buffer.from("\r\n\r\n");

/** Undefined until all of it is there. */
function readAnswer(bytes: Buffer): Answer | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd === -1) return undefined;
  const head = bytes.toString("latin1", 0, headEnd).toLowerCase();
  const length = Number(/\r\ncontent-length: (\d+)/.exec(head)?.[1] ?? Number.NaN);
  if (Number.isNaN(length)) throw new Error(`An answer without a length: ${head}`);
  const start = headEnd + HEAD_END.length;
  if (bytes.length < start + length) return undefined;
  return {
    status: Number(head.slice("http/1.1 ".length, "http/1.1 200".length)),
    text: bytes.toString("utf8", start, start + length),
    isKept: !head.includes("\r\nconnection: close"),
  };
}

class Connection {
  readonly #socket: Socket;
  #read: Buffer = Buffer.alloc(0);
  #settle: ((answer: Answer | Error) => void) | undefined;

  constructor(host: string, port: number, onClosed: (connection: Connection) => void) {
    this.#socket = connect({ host, port, noDelay: true });
    this.#socket.setTimeout(CALL_MS, () => this.#socket.destroy(new Error("The server took too long")));
    this.#socket.on("data", (chunk) => this.#receive(chunk));
    this.#socket.on("error", (error) => this.#settle?.(error));
    this.#socket.on("close", () => {
      onClosed(this);
      this.#settle?.(new Error("The server hung up"));
    });
  }

  send(request: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#settle = (answer) => {
        this.#settle = undefined;
        if (answer instanceof Error) reject(answer);
        else resolve(answer);
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
      const answer = readAnswer(this.#read);
      if (!answer) return;
      this.#read = Buffer.alloc(0);
      this.#settle?.(answer);
    } catch (error) {
      this.#socket.destroy(error as Error);
    }
  }
}

export function connectTo(url: string, userAgent: string): Post {
  const { host: authority, hostname, port } = new URL(url);
  const free = new Set<Connection>();
  const take = (): Connection => {
    const [kept] = free;
    if (!kept) return new Connection(hostname, Number(port), (closed) => free.delete(closed));
    free.delete(kept);
    return kept;
  };
  const headers = `Host: ${authority}\r\nUser-Agent: ${userAgent}`;
  return async (path, body) => {
    const connection = take();
    const { status, text, isKept } = await connection.send(
      `POST ${path} HTTP/1.1\r\n${headers}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    if (isKept) free.add(connection);
    else connection.end();
    if (status !== 200) throw new Refused(status, text);
    return (JSON.parse(text) as { data: unknown }).data;
  };
}
