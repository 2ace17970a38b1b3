/** How a fleet's requests get to the server: each on a connection that is kept, as if every agent had its own. */
import { Agent, request } from "node:http";

/** Answers `data`. */
export type Post = (path: string, body: string) => Promise<unknown>;

export class Refused extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(`${status} ${text}`);
    this.status = status;
  }
}

/** As long as real agents wait for an answer. */
const CALL_MS = 120_000;

export function connectTo(url: string, userAgent: string): Post {
  const { hostname: host, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxFreeSockets: Infinity });
  const send = (path: string, body: string) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const headers = { "User-Agent": userAgent, "Content-Length": Buffer.byteLength(body) };
      const call = request({ host, port, path, method: "POST", agent, headers }, (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (text += chunk));
        response.on("error", reject);
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      });
      call.setTimeout(CALL_MS, () => call.destroy(new Error("The server took too long")));
      call.on("error", reject);
      call.end(body);
    });
  return async (path, body) => {
    const { status, text } = await send(path, body);
    if (status !== 200) throw new Refused(status, text);
    return (JSON.parse(text) as { data: unknown }).data;
  };
}
