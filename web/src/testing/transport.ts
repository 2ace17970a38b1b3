/**
 * A fake `fetch` for page tests, with responses typed by the contract. An unexpected call fails the test. Error reports,
 * the version, the event stream, feature flags (all off), attention, invitations, guarantees and lints (none), previews (no change)
 * and the documentation's search index have default responses.
 */
import {
  errorCatalog,
  getAttention,
  getFeatureFlags,
  lintRules,
  listGuarantees,
  listInvitations,
  previewAccess,
  reportClientError,
  streamEvents,
  type BodyInputOf,
  type BodyOf,
  type DataOf,
  type Endpoint,
  type ErrorCode,
  type ErrorEntry,
  type Output,
  type Page,
  type ParamsOf,
} from "@lightkeeper/contract";
import { config } from "../lib/config.ts";
import { vi } from "vitest";

export interface Call<E extends Endpoint = Endpoint> {
  params: ParamsOf<E>;
  query: Record<string, string>;
  body: BodyInputOf<E>;
  authorization: string | null;
  signal: AbortSignal | undefined;
}
export type Handler<E extends Endpoint> = (call: Call<E>) => Output<E> | Promise<Output<E>>;

interface Route {
  endpoint: Endpoint;
  handle: (call: Call) => unknown;
  calls: Call[];
}

/** Thrown by a handler to respond with this error. */
export class Failure extends Error {
  readonly status: number;
  readonly errors: readonly ErrorEntry[];
  readonly requestID: string;

  constructor(status: number, errors: readonly ErrorEntry[], requestID = "request-1") {
    super(`Test API error ${status}`);
    this.status = status;
    this.errors = errors;
    this.requestID = requestID;
  }
}

/** An error of the catalogue, with its status and message. */
export function failure(code: ErrorCode, entry: Partial<ErrorEntry> = {}, requestID?: string): Failure {
  const { status, message } = errorCatalog[code];
  return new Failure(status, [{ code, message, ...entry }], requestID);
}

/** What `fetch` throws if the server is unreachable. */
export const unreachable = (): TypeError => new TypeError("Failed to fetch");

/** A page of a list. By default it is the only page. */
export function page<Item>(data: Item[], metadata: Partial<Page<Item>["metadata"]> = {}): Page<Item> {
  return {
    data,
    metadata: {
      hasNextPage: false,
      hasPrevPage: false,
      totalCount: data.length,
      page: { start: 0, count: data.length },
      ...metadata,
    },
  };
}

function toResponse({ response }: Endpoint, output: unknown): Response {
  // A streaming command returns a raw response although its endpoint declares an envelope.
  if (response.kind === "raw" || output instanceof Response) return output as Response;
  return Response.json(response.kind === "list" ? output : { data: output, metadata: {} }, {
    headers: { "x-request-id": "request-1" },
  });
}

function paramsOf({ path }: Endpoint, pathname: string): Record<string, string> | undefined {
  const pattern = path.replace(/[.]/g, "\\$&").replace(/\{(\w+)\}/g, "(?<$1>[^/]+)");
  const match = new RegExp(`^${pattern}$`).exec(pathname);
  if (!match) return undefined;
  return Object.fromEntries(
    Object.entries(match.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]),
  );
}

/** The preview of a change that opens and closes nothing. */
export const noChange: DataOf<typeof previewAccess> = {
  opened: [],
  openedPairCount: 0,
  closed: [],
  closedPairCount: 0,
  affectedHostCount: 0,
  affectedHosts: [],
  brokenGuarantees: [],
  ownAccessLost: [],
};

const noHosts: DataOf<typeof getAttention>["health"] = {
  online: 0,
  offline: 0,
  neverEnrolled: 0,
  blocked: 0,
  drifted: 0,
  expiring: 0,
  updateAvailable: 0,
};

const unexpectedCalls: string[] = [];

export class Transport {
  readonly #routes: Route[] = [];
  /** Error reports that the console sent. */
  readonly reports: BodyOf<typeof reportClientError>[] = [];
  /** The same version as the page by default. */
  version = config.version;
  /** The search index of the documentation; undefined responds with 404. */
  docsIndex: string | undefined;

  constructor() {
    this.on(reportClientError, ({ body }) => {
      this.reports.push(body);
      return {};
    });
    this.on(streamEvents, () => new Response(new ReadableStream()));
    this.on(getFeatureFlags, () => ({}));
    this.on(getAttention, () => ({ items: [], health: noHosts }));
    this.on(listInvitations, () => []);
    this.on(listGuarantees, () => page([]));
    this.on(previewAccess, () => noChange);
    this.on(lintRules, () => ({ lints: [] }));
  }

  /** Sets the handler of an endpoint. A later handler replaces an earlier one. */
  on<E extends Endpoint>(endpoint: E, handle: Handler<E>): this {
    const existing = this.#routes.findIndex((route) => route.endpoint === endpoint);
    const calls = existing < 0 ? [] : this.#routes.splice(existing, 1)[0]!.calls;
    this.#routes.unshift({ endpoint, handle, calls });
    return this;
  }

  /** The calls to an endpoint so far. */
  calls<E extends Endpoint>(endpoint: E): Call<E>[] {
    const calls = this.#routes.find((route) => route.endpoint === endpoint)?.calls ?? [];
    return calls;
  }

  readonly fetch: typeof fetch = async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input, location.origin);
    const method = init.method ?? "GET";
    init.signal?.throwIfAborted();
    if (method === "GET" && url.pathname === "/v") return new Response(this.version);
    if (method === "GET" && url.pathname === "/docs/search.json")
      return new Response(this.docsIndex ?? null, { status: this.docsIndex === undefined ? 404 : 200 });
    for (const { endpoint, handle, calls } of this.#routes) {
      const params = endpoint.method === method ? paramsOf(endpoint, url.pathname) : undefined;
      if (!params) continue;
      const call: Call = {
        params,
        query: Object.fromEntries(url.searchParams),
        body: typeof init.body === "string" ? (JSON.parse(init.body) as never) : undefined,
        authorization: new Headers(init.headers).get("authorization"),
        signal: init.signal ?? undefined,
      };
      calls.push(call);
      return await respond(endpoint, () => handle(call));
    }
    unexpectedCalls.push(`${method} ${url.pathname}${url.search}`);
    throw unreachable();
  };
}

async function respond(endpoint: Endpoint, handle: () => unknown): Promise<Response> {
  try {
    return toResponse(endpoint, await handle());
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return Response.json(
      { errors: error.errors },
      { status: error.status, headers: { "x-request-id": error.requestID } },
    );
  }
}

/** Replaces `fetch` until the test ends. */
export function transport(): Transport {
  const fake = new Transport();
  vi.stubGlobal("fetch", fake.fetch);
  return fake;
}

/** Restores `fetch`, and throws if there were unexpected calls. */
export function endTransport(): void {
  vi.unstubAllGlobals();
  const calls = unexpectedCalls.splice(0);
  if (calls.length > 0) throw new Error(`Unexpected calls: ${calls.join(", ")}`);
}
