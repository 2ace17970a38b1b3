/** The agent's connection to the server: signs requests and turns error responses into messages. */
import type { AgentMessageType } from "@lightkeeper/contract/agent";
import { escapeLine } from "@lightkeeper/contract/characters";
import { MINUTE_SECONDS } from "@lightkeeper/contract/durations";
import { AgentError } from "./errors.ts";
import { post } from "./http.ts";
import type { ServerResponse } from "./http.ts";
import { writeRequest } from "./protocol.ts";
import type { Credentials } from "./protocol.ts";

const PATH = "/v1/dnclient";
const CALL_SECONDS = 120;
const STREAM_SECONDS = 15 * MINUTE_SECONDS;
/** The server allows five minutes of clock skew; below this limit, a rejection has another reason. */
const SKEW_SECONDS = 60;

interface ResponseError {
  readonly code?: string;
  readonly message?: string;
  readonly path?: string | null;
}

/** The server returned an error. */
export class RequestRejected extends AgentError {
  readonly errors: readonly ResponseError[];

  constructor(status: number, errors: readonly ResponseError[]) {
    const messages = errors.flatMap(({ message }) => message ?? []);
    super(
      messages.length > 0
        ? `The server rejected the request: ${escapeLine(messages.join(", "))}.`
        : `The server returned status ${status}.`,
    );
    this.errors = errors;
  }
}

/** The credentials are no longer valid: the host was blocked, deleted or enrolled again on another machine. */
export class CredentialsRejected extends AgentError {
  constructor(requestID: string) {
    super(
      "The server no longer accepts this host: it was blocked, deleted or enrolled again. " +
        "Generate a new code in the console, then run: lightkeeper-agent enroll --force --server URL --code CODE",
    );
    this.requestID = requestID;
  }
}

/** Returns the `data` of a successful response. */
export function readResponse(response: ServerResponse): unknown {
  try {
    return readBody(response);
  } catch (error) {
    if (error instanceof AgentError) error.requestID = response.requestID;
    throw error;
  }
}

function readBody({ status, text }: ServerResponse): unknown {
  let body: { data?: unknown; errors?: ResponseError[] };
  try {
    body = JSON.parse(text);
  } catch {
    throw new AgentError(
      status === 200
        ? "Unexpected response from the server (not JSON)."
        : `The server returned status ${status}.`,
    );
  }
  if (status !== 200 || (body.errors ?? []).length > 0) throw new RequestRejected(status, body.errors ?? []);
  return body.data;
}

export class Server {
  private readonly url: string;
  private readonly userAgent: string;
  private clockOffset = 0;
  private lastTimestamp = 0;

  constructor(url: string, userAgent: string) {
    this.url = url;
    this.userAgent = userAgent;
  }

  /** How far this machine's clock is behind the server's; 0 unless the server rejected a timestamp. */
  clockOffsetSeconds(): number {
    return Math.round(this.clockOffset / 1000);
  }

  async call(
    credentials: Credentials,
    type: AgentMessageType,
    value: unknown,
    signal?: AbortSignal,
  ): Promise<unknown> {
    const send = () => {
      const body = writeRequest(credentials, type, value, this.nextTimestamp());
      return post(this.url, PATH, body, { userAgent: this.userAgent, timeoutSeconds: CALL_SECONDS, signal });
    };
    let response = await send();
    if (response.status === 400 && this.adjustClock(response)) response = await send();
    if (response.status === 401) throw new CredentialsRejected(response.requestID);
    return readResponse(response);
  }

  /** Sends a message followed by a stream, until the stream ends or the server responds. */
  async stream(
    credentials: Credentials,
    type: AgentMessageType,
    value: unknown,
    stream: AsyncIterable<string>,
    signal: AbortSignal,
  ): Promise<void> {
    const body = writeRequest(credentials, type, value, this.nextTimestamp());
    const options = { userAgent: this.userAgent, timeoutSeconds: STREAM_SECONDS, signal, stream };
    readResponse(await post(this.url, PATH, body, options));
  }

  /** Never returns the same time twice: the server rejects a repeated signature as a replay. */
  private nextTimestamp(): string {
    this.lastTimestamp = Math.max(Date.now() + this.clockOffset, this.lastTimestamp + 1);
    return new Date(this.lastTimestamp).toISOString();
  }

  /** Returns whether the server's clock differs enough to retry with its time. */
  private adjustClock({ date }: ServerResponse): boolean {
    if (date === undefined) return false;
    const offset = date - Date.now();
    if (Math.abs(offset - this.clockOffset) < SKEW_SECONDS * 1000) return false;
    this.clockOffset = Math.abs(offset) < SKEW_SECONDS * 1000 ? 0 : offset;
    this.lastTimestamp = 0;
    return true;
  }
}
