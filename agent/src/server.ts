/** The agent's side of the conversation: signs, asks, and puts what went wrong into words. */
import type { AgentMessageType } from "@lightkeeper/contract/agent";
import { escapeLine } from "@lightkeeper/contract/characters";
import { Failure } from "./failure.ts";
import { post } from "./http.ts";
import type { Answer } from "./http.ts";
import { writeRequest } from "./protocol.ts";
import type { Credentials } from "./protocol.ts";

const PATH = "/v1/dnclient";
const CALL_SECONDS = 120;
const STREAM_SECONDS = 15 * 60;
/** The server allows five minutes; below this a refusal has another reason. */
const SKEW_SECONDS = 60;

interface AnswerError {
  readonly code?: string;
  readonly message?: string;
  readonly path?: string | null;
}

/** The server understood, and said no. */
export class Refused extends Failure {
  readonly errors: readonly AnswerError[];

  constructor(status: number, errors: readonly AnswerError[]) {
    const messages = errors.flatMap(({ message }) => message ?? []);
    super(
      messages.length > 0
        ? `The server refused: ${escapeLine(messages.join(", "))}.`
        : `The server answered ${status}.`,
    );
    this.errors = errors;
  }
}

/** These credentials open nothing any more: the host was blocked, deleted or enrolled anew elsewhere. */
export class CredentialsRefused extends Failure {
  constructor() {
    super(
      "The server does not accept this host any more: it was blocked, deleted or enrolled anew. " +
        "Get a new code in the console, then: lightkeeper-agent enroll --force --server URL --code CODE",
    );
  }
}

/** `data` of an answer. */
export function readAnswer({ status, text }: Answer): unknown {
  let body: { data?: unknown; errors?: AnswerError[] };
  try {
    body = JSON.parse(text);
  } catch {
    throw new Failure(
      status === 200 ? "The server's answer cannot be read." : `The server answered ${status}.`,
    );
  }
  if (status !== 200 || (body.errors ?? []).length > 0) throw new Refused(status, body.errors ?? []);
  return body.data;
}

export class Server {
  private readonly url: string;
  private readonly userAgent: string;
  private clockOffset = 0;
  private last = 0;

  constructor(url: string, userAgent: string) {
    this.url = url;
    this.userAgent = userAgent;
  }

  /** How far this machine's clock is behind the server's, where that mattered. */
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
      const body = writeRequest(credentials, type, value, this.moment());
      return post(this.url, PATH, body, { userAgent: this.userAgent, timeoutSeconds: CALL_SECONDS, signal });
    };
    let answer = await send();
    if (answer.status === 400 && this.learnClock(answer)) answer = await send();
    if (answer.status === 401) throw new CredentialsRefused();
    return readAnswer(answer);
  }

  /** A message, and after it whatever comes, until it ends or the server has heard enough. */
  async stream(
    credentials: Credentials,
    type: AgentMessageType,
    value: unknown,
    stream: AsyncIterable<string>,
    signal: AbortSignal,
  ): Promise<void> {
    const body = writeRequest(credentials, type, value, this.moment());
    const options = { userAgent: this.userAgent, timeoutSeconds: STREAM_SECONDS, signal, stream };
    readAnswer(await post(this.url, PATH, body, options));
  }

  /** Never the same twice: the server takes a signature it has seen for a replay. */
  private moment(): string {
    this.last = Math.max(Date.now() + this.clockOffset, this.last + 1);
    return new Date(this.last).toISOString();
  }

  private learnClock({ date }: Answer): boolean {
    if (date === undefined) return false;
    const offset = date - Date.now();
    if (Math.abs(offset - this.clockOffset) < SKEW_SECONDS * 1000) return false;
    this.clockOffset = Math.abs(offset) < SKEW_SECONDS * 1000 ? 0 : offset;
    this.last = 0;
    return true;
  }
}
