/** Sends raw requests over a keep-alive connection; a stream is canceled when it starts. */
import { Agent, type IncomingHttpHeaders, request } from "node:http";

export interface RawRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
  /** Whether the request gets as far as the endpoint. */
  reachesEndpoint: boolean;
}

export interface RawResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /** Empty for a stream. */
  text: string;
}

export interface Sender {
  send: (request: RawRequest) => Promise<RawResponse>;
  close: () => void;
}

const TIMEOUT_MS = 20_000;

export function createSender(baseURL: string): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { hostname: host, port } = new URL(baseURL);
  const send = ({ method, path, headers, body }: RawRequest) =>
    new Promise<RawResponse>((resolve, reject) => {
      const outgoing = request(
        { host, port, agent, method, path, headers, timeout: TIMEOUT_MS },
        (incoming) => {
          const { statusCode: status = 0, headers } = incoming;
          if (!headers["content-type"]?.startsWith("application/json")) {
            resolve({ status, headers, text: "" });
            return void incoming.destroy();
          }
          const chunks: Buffer[] = [];
          incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
          incoming.on("end", () => resolve({ status, headers, text: Buffer.concat(chunks).toString() }));
          incoming.on("error", reject);
        },
      );
      outgoing.on("timeout", () => outgoing.destroy(new Error(`No response within ${TIMEOUT_MS} ms`)));
      outgoing.on("error", reject);
      // Without a length, Node.js would send the body of a DELETE like another request.
      if (body) outgoing.setHeader("content-length", body.length);
      outgoing.end(body);
    });
  return { send, close: () => agent.destroy() };
}
