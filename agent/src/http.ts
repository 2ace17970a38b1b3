/** Sends requests to the server, without Content-Type and Accept: the protocol has neither. */
import { once } from "node:events";
import { Agent as HttpAgent, request as httpRequest } from "node:http";
import type { ClientRequest, IncomingMessage } from "node:http";
import type { Agent as HttpsAgent } from "node:https";
import { createRequestID, isRequestID, REQUEST_ID_HEADER } from "@lightkeeper/contract/request-id";
import { AgentError, messageOf } from "./errors.ts";

export interface ServerResponse {
  readonly status: number;
  readonly text: string;
  /** The server's time, in milliseconds. */
  readonly date: number | undefined;
  readonly requestID: string;
}

export interface PostOptions {
  readonly userAgent: string;
  readonly timeoutSeconds: number;
  readonly signal?: AbortSignal | undefined;
  /** Chunks to send after the body. */
  readonly stream?: AsyncIterable<string> | undefined;
}

const RESPONSE_BYTES_MAX = 32 * 1024 * 1024;

// Keep the connection open: the agent polls all the time and shouldn't need a TLS handshake for each request.
const httpAgent = new HttpAgent({ keepAlive: true });
let httpsAgent: HttpsAgent | undefined;

/** The server wasn't reached, or its response was lost. */
export class ServerUnreachable extends AgentError {
  /** Whether the request may have arrived. */
  readonly wasSent: boolean;

  constructor(server: string, error: unknown, request: { wasSent: boolean; id: string }) {
    super(`Can't reach ${server}: ${messageOf(error)}.`);
    this.wasSent = request.wasSent;
    if (request.wasSent) this.requestID = request.id;
  }
}

export async function post(
  server: string,
  path: string,
  body: string,
  options: PostOptions,
): Promise<ServerResponse> {
  // A path in the server's address is ignored, as in every client of this protocol.
  const url = new URL(path, server);
  options.signal?.throwIfAborted();
  const id = createRequestID();
  const request = open(url, id, body, options);
  let isConnected = false;
  request.once("socket", (socket) => {
    if (request.reusedSocket) isConnected = true;
    else socket.once(url.protocol === "https:" ? "secureConnect" : "connect", () => (isConnected = true));
  });
  const stop = () => request.destroy(new Error("stopped"));
  options.signal?.addEventListener("abort", stop);
  const timer = setTimeout(
    () => request.destroy(new Error("request timed out")),
    options.timeoutSeconds * 1000,
  );
  try {
    return await exchange(request, id, body, options.stream);
  } catch (error) {
    request.destroy();
    if (options.signal?.aborted) throw error;
    throw new ServerUnreachable(url.origin, error, { wasSent: isConnected, id });
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", stop);
  }
}

function open(url: URL, id: string, body: string, { userAgent, stream }: PostOptions): ClientRequest {
  const headers: Record<string, string | number> = { "User-Agent": userAgent, [REQUEST_ID_HEADER]: id };
  if (!stream) headers["Content-Length"] = Buffer.byteLength(body);
  if (url.protocol === "http:") return httpRequest(url, { method: "POST", agent: httpAgent, headers });
  // Loaded only when needed: newer versions of Node.js then parse all CA certificates.
  const https = process.getBuiltinModule("node:https");
  httpsAgent ??= new https.Agent({ keepAlive: true });
  return https.request(url, { method: "POST", agent: httpsAgent, headers });
}

async function exchange(
  request: ClientRequest,
  id: string,
  body: string,
  stream: AsyncIterable<string> | undefined,
): Promise<ServerResponse> {
  const response = receive(request, id);
  if (stream) {
    request.write(body);
    // If the server responds before the end of the stream, it doesn't want the rest.
    await Promise.race([writeChunks(stream, request), response]);
    request.end();
  } else {
    request.end(body);
  }
  return response;
}

async function writeChunks(stream: AsyncIterable<string>, request: ClientRequest): Promise<void> {
  for await (const chunk of stream) {
    if (request.destroyed || request.writableEnded) return;
    if (!request.write(chunk)) await waitForDrain(request);
  }
}

/** Removes its listeners when done: a long stream waits many times. */
async function waitForDrain(request: ClientRequest): Promise<void> {
  const settled = new AbortController();
  const { signal } = settled;
  try {
    await Promise.race([once(request, "drain", { signal }), once(request, "close", { signal })]);
  } finally {
    settled.abort();
  }
}

async function receive(request: ClientRequest, id: string): Promise<ServerResponse> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once("response", resolve);
    request.on("error", reject);
  });
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > RESPONSE_BYTES_MAX) throw new Error("the response is too long");
  }
  const date = Date.parse(response.headers.date ?? "");
  const answered = response.headers[REQUEST_ID_HEADER];
  return {
    status: response.statusCode ?? 0,
    text: Buffer.concat(chunks).toString("utf8"),
    date: Number.isNaN(date) ? undefined : date,
    requestID: isRequestID(answered) ? answered : id,
  };
}
