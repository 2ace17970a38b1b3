/** A typed API client. Its types come from the endpoint values; it doesn't validate responses at run time. */
import type { BodyInputOf, DataOf, Endpoint, ParamsOf, QueryOf } from "./endpoint.ts";
import type { ListMetadata } from "./fields.ts";
import { InvalidResponseError, toRequestError } from "./request-errors.ts";
import { createRequestID, REQUEST_ID_HEADER } from "./request-id.ts";

type OptionalIfEmpty<Key extends string, Value> = [Value] extends [undefined]
  ? { [K in Key]?: undefined }
  : Record<never, never> extends Value
    ? { [K in Key]?: Value }
    : { [K in Key]: Value };

export type Input<E extends Endpoint> = OptionalIfEmpty<"params", ParamsOf<E>> &
  OptionalIfEmpty<"query", QueryOf<E> extends object ? Partial<QueryOf<E>> : undefined> &
  OptionalIfEmpty<"body", BodyInputOf<E>> & { signal?: AbortSignal };

export type Page<Item> = { data: Item[]; metadata: ListMetadata };

export type Output<E extends Endpoint> = E["response"]["kind"] extends "list"
  ? { data: DataOf<E>; metadata: ListMetadata }
  : E["response"]["kind"] extends "raw"
    ? Response
    : DataOf<E>;

export interface ClientOptions {
  baseURL: string;
  /** Returns the Authorization header. Called for every request. */
  authorization?: () => string | undefined;
  fetch?: typeof fetch;
}

type Arguments<E extends Endpoint> =
  Record<never, never> extends Input<E> ? [input?: Input<E>] : [input: Input<E>];
export type Client = <E extends Endpoint>(endpoint: E, ...input: Arguments<E>) => Promise<Output<E>>;

interface AnyInput {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  signal?: AbortSignal;
}

export function pathOf(endpoint: Endpoint, { params = {}, query = {} }: AnyInput = {}): string {
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`${endpoint.path} requires the parameter ${name}`);
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null) search.append(name, String(item));
    }
  }
  return search.size > 0 ? `${path}?${search}` : path;
}

export function createClient({ baseURL, authorization, fetch: send = fetch }: ClientOptions): Client {
  return async (endpoint, ...[typedInput]) => {
    const input = (typedInput ?? {}) as AnyInput;
    const header = endpoint.access.kind === "public" ? undefined : authorization?.();
    const requestID = createRequestID();
    const response = await send(new URL(pathOf(endpoint, input), baseURL), {
      method: endpoint.method,
      headers: {
        "content-type": "application/json",
        accept: endpoint.response.kind === "raw" ? endpoint.response.contentType : "application/json",
        [REQUEST_ID_HEADER]: requestID,
        ...(header && { authorization: header }),
      },
      credentials: "omit",
      ...(endpoint.body && { body: JSON.stringify(input.body ?? {}) }),
      ...(input.signal && { signal: input.signal }),
    });
    if (!response.ok) throw await toRequestError(response, requestID);
    type Result = Output<typeof endpoint>;
    if (endpoint.response.kind === "raw") return response as Result;
    const envelope = await readEnvelope(response, requestID);
    return (endpoint.response.kind === "list" ? envelope : envelope.data) as Result;
  };
}

async function readEnvelope(
  response: Response,
  requestID: string,
): Promise<{ data: unknown; metadata?: unknown }> {
  const text = await response.text();
  const body = parseJson(text);
  if (typeof body === "object" && body !== null && "data" in body) return body;
  throw new InvalidResponseError(response, requestID);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
