/** Requests without the headers and redirects that fetch adds. */
import { type IncomingHttpHeaders, request } from "node:http";
import { connect } from "node:net";

export interface RawResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface RawOptions {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string;
}

export function rawRequest(
  url: string,
  { method = "GET", headers = {}, body }: RawOptions = {},
): Promise<RawResponse> {
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

/** Sends bytes and returns everything until the server closes the connection. */
export function rawBytes(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let response = "";
    socket.on("data", (chunk) => (response += chunk.toString()));
    socket.on("error", reject);
    socket.on("close", () => resolve(response));
  });
}

/** Returns the response to a request that announces a body but does not send it. */
export function requestWithoutBody(
  url: string,
  { method = "POST", headers = {}, bytes }: Omit<RawOptions, "body"> & { bytes: number },
): Promise<Omit<RawResponse, "body">> {
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
