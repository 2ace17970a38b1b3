/** Posts to a URL that a person has entered. */
import { request } from "undici";
import type { Config } from "../../infrastructure/config/config.ts";
import { allowedReceivers } from "../../infrastructure/outgoing/allowed-receivers.ts";
import {
  createPinnedConnections,
  findUrlProblem,
  type OutgoingEdges,
  rejectOnTimeout,
  UnreachableError,
} from "../../infrastructure/outgoing/pinned-connections.ts";
import { SECOND_MS } from "../../infrastructure/time/durations.ts";

const TIMEOUT_MS = 10 * SECOND_MS;
const RESPONSE_BYTES_KEPT = 2048;

export interface RequestResult {
  /** Null if there was no response. */
  status: number | null;
  body: string;
  /** Null if the receiver has accepted the request. */
  error: string | null;
}

interface OutgoingRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export async function sendRequest(
  config: Pick<Config, "appEnv" | "webhookAllowedHosts">,
  edges: OutgoingEdges,
  { url: target, headers, body }: OutgoingRequest,
): Promise<RequestResult> {
  const url = new URL(target);
  const allowed = allowedReceivers(config);
  const timeoutMs = edges.timeoutMs ?? TIMEOUT_MS;
  const { dispatcher, requirePermitted } = createPinnedConnections(allowed, { resolve: edges.resolve });
  const signal = AbortSignal.timeout(timeoutMs);
  const exchange = async (): Promise<RequestResult> => {
    const problem = findUrlProblem(config.appEnv, target, allowed);
    if (problem !== undefined) throw new UnreachableError(`the URL ${problem}`);
    await requirePermitted(url);
    const response = await request(url, { method: "POST", headers, body, dispatcher, signal });
    const text = await readStart(response.body);
    return { status: response.statusCode, body: text, error: describeStatus(response.statusCode) };
  };
  try {
    return await Promise.race([exchange(), rejectOnTimeout(signal, url, timeoutMs)]);
  } catch (error) {
    return { status: null, body: "", error: describeFailure(url, error) };
  } finally {
    await dispatcher.destroy();
  }
}

function describeStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400)
    return `The receiver redirected the request (${status}), which isn’t followed.`;
  return `The receiver responded with status ${status}.`;
}

function describeFailure({ hostname }: URL, error: unknown): string {
  if (error instanceof UnreachableError) return `${error.message}.`;
  const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  return `${hostname} could not be reached${code}.`;
}

/** Reads the start of the body, as text that PostgreSQL can store. */
async function readStart(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= RESPONSE_BYTES_KEPT) break;
  }
  const start = Buffer.concat(chunks).subarray(0, RESPONSE_BYTES_KEPT);
  return new TextDecoder().decode(start).replaceAll("\0", "");
}
