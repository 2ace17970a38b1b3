/** One request as written, without what fetch adds or undoes on its own. */
import { type IncomingHttpHeaders, request } from "node:http";
import { connect } from "node:net";

export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface RawOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

export function rawRequest(
  url: string,
  { method = "GET", headers = {}, body }: RawOptions = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Whatever comes back for these bytes until the server hangs up. */
export function rawBytes(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let answer = "";
    socket.on("data", (chunk) => (answer += chunk.toString()));
    socket.on("error", reject);
    socket.on("close", () => resolve(answer));
  });
}

/** The response to a request that announces a body and sends nothing of it. */
export function announceBody(
  url: string,
  { method = "POST", headers = {}, bytes }: Omit<RawOptions, "body"> & { bytes: number },
): Promise<Omit<RawAnswer, "body">> {
  return new Promise((resolve, reject) => {
    const announced = { ...headers, "content-length": String(bytes) };
    const sent = request(url, { method, headers: announced, agent: false }, (response) => {
      resolve({ status: response.statusCode ?? 0, headers: response.headers });
      sent.destroy();
    });
    sent.on("error", reject);
    sent.flushHeaders();
  });
}
