/** Serves an endpoint: authentication, authorization, limits, parsing, limits that need the body, handler, response. */
import {
  bodyBytesMaxOf,
  type DataOf,
  type Endpoint,
  isWrite,
  type ListMetadata,
} from "@lightkeeper/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "../context/context.ts";
import type { Outcome } from "../db/audited.ts";
import type { Writer } from "../db/client.ts";
import { ApiError } from "../errors/api-error.ts";
import type { Call } from "./call.ts";
import { type Admission, type CallerLimits, runFor } from "./caller.ts";
import { createDryRuns, type DryRuns, type PreviewWork } from "./dry-runs.ts";
import { parseBody, parseQuery } from "./parse.ts";
import { consume, type Limit } from "./rate-limit.ts";
import { type Sharing, shareWrites } from "./shared-writes.ts";
import { assertDeclaresCodes, assertMatchesSchema } from "./response-checks.ts";

type HandlerResult<E extends Endpoint> = E["response"]["kind"] extends "list"
  ? { data: DataOf<E>; metadata: ListMetadata }
  : DataOf<E>;

/** For a write that isn't one transaction: what a dry run does instead. */
interface DryRunOptions<E extends Endpoint> {
  dryRun?: (call: Call<E>, tx: Writer) => Promise<Outcome<unknown>>;
}

/** Limits are consumed before the handler runs, and stay consumed if it fails. */
interface WriteOptions<E extends Endpoint> {
  /** Consumed before the body is read. */
  limits?: CallerLimits<E>;
  /** Consumed after the body is parsed. */
  bodyLimits?: (call: Call<E>) => Limit[];
}

interface SharedWriteOptions<E extends Endpoint> {
  sharing?: Sharing<E>;
}

export interface Routes {
  read<E extends Endpoint>(endpoint: E, handler: (call: Call<E>) => Promise<HandlerResult<E>>): void;
  /** Runs in one transaction with its audit entries. */
  write<E extends Endpoint>(
    endpoint: E,
    handler: (call: Call<E>, tx: Writer) => Promise<Outcome<DataOf<E>>>,
    options?: WriteOptions<E> & SharedWriteOptions<E>,
  ): void;
  /** For requests that change nothing an organization owns: no transaction, no audit entry. */
  writeUnaudited<E extends Endpoint>(
    endpoint: E,
    handler: (call: Call<E>) => Promise<DataOf<E>>,
    options?: WriteOptions<E> & DryRunOptions<E>,
  ): void;
  /** Like `writeUnaudited`, with a handler that reads the body as a stream. */
  receive<E extends Endpoint>(
    endpoint: E,
    handler: (
      call: Omit<Call<E>, "body">,
      request: FastifyRequest,
      reply: FastifyReply,
    ) => Promise<DataOf<E>>,
  ): void;
  /** The handler sends the response itself, or returns data for a normal response. */
  stream<E extends Endpoint>(
    endpoint: E,
    handler: (call: Call<E>, request: FastifyRequest, reply: FastifyReply) => Promise<DataOf<E> | void>,
  ): void;
}

export interface RouteOptions {
  admission: Admission;
  previewWork: PreviewWork;
  /** Check every response against its schema and every error against the endpoint's codes. */
  strict: boolean;
}

type Kind = "read" | "write" | "writeUnaudited" | "receive" | "stream";

interface Served<E extends Endpoint> {
  kind: Kind;
  endpoint: E;
  work: (call: Call<E>, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
  limits?: CallerLimits<E> | undefined;
}

export function createRoutes(
  app: FastifyInstance,
  ctx: Context,
  { admission, previewWork, strict }: RouteOptions,
) {
  const dryRuns = createDryRuns(admission);
  const served = new Map<Endpoint, Kind>();

  async function checkCodes<T>(endpoint: Endpoint, step: Promise<T>): Promise<T> {
    if (!strict) return step;
    return step.catch((error: unknown) => {
      assertDeclaresCodes(endpoint, error);
      throw error;
    });
  }

  async function respond<E extends Endpoint>(
    { kind, endpoint, work }: Served<E>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<unknown> {
    const call = parseCall(kind, endpoint, request, { admission, now: ctx.clock() });
    const result = await runFor(call, () => work(call, request, reply));
    if (kind === "stream" && result === undefined) return reply;
    const envelope = endpoint.response.kind === "list" ? result : { data: result, metadata: {} };
    if (strict) assertMatchesSchema(endpoint, envelope, { isDryRun: isDryRun(call) });
    return envelope;
  }

  function serve<E extends Endpoint>(route: Served<E>, within: FastifyInstance = app): void {
    const { kind, endpoint, limits } = route;
    assertServable(served, kind, endpoint);
    served.set(endpoint, kind);
    within.route({
      method: endpoint.method,
      url: endpoint.path.replace(/\{(\w+)\}/g, ":$1"),
      bodyLimit: bodyBytesMaxOf(endpoint),
      config: {
        takesTime: kind === "receive",
        allowance: endpoint.access.kind === "agent" ? "agents" : "general",
      },
      // In this hook, the body has not been read yet.
      onRequest: (request) => checkCodes(endpoint, admission.admit(endpoint, request, limits)),
      handler: (request, reply) => checkCodes(endpoint, respond(route, request, reply)),
    });
  }

  return { routes: createRouteMethods(app, ctx, { serve, dryRuns, previewWork }), served, dryRuns };
}

function assertServable(served: ReadonlyMap<Endpoint, Kind>, kind: Kind, endpoint: Endpoint): void {
  if (served.has(endpoint)) throw new Error(`${endpoint.method} ${endpoint.path} is served twice`);
  if (kind !== "stream" && (kind !== "read") !== isWrite(endpoint))
    throw new Error(`${endpoint.method} ${endpoint.path} cannot be served as a ${kind}`);
}

const isDryRun = ({ query }: { query?: unknown }): boolean =>
  (query as { dryRun?: unknown } | undefined)?.dryRun === true;

type Serve = <E extends Endpoint>(route: Served<E>, within?: FastifyInstance) => void;

interface Methods {
  serve: Serve;
  dryRuns: DryRuns;
  previewWork: PreviewWork;
}

function createRouteMethods(
  app: FastifyInstance,
  ctx: Context,
  { serve, dryRuns, previewWork }: Methods,
): Routes {
  /** Consumes the limits, and then makes the change or tries it. */
  const runOrTry =
    <E extends Endpoint>(
      { bodyLimits }: WriteOptions<E>,
      run: (call: Call<E>) => Promise<unknown>,
      tryOut: ((call: Call<E>, tx: Writer) => Promise<Outcome<unknown>>) | undefined,
    ) =>
    async (call: Call<E>) => {
      if (bodyLimits) await consume(ctx.unaudited, call.now, bodyLimits(call));
      const { actor } = call;
      return tryOut && actor && isDryRun(call) ? previewWork((tx) => tryOut(call, tx), actor) : run(call);
    };
  return {
    read: (endpoint, work) => serve({ kind: "read", endpoint, work }),
    write: (endpoint, handler, options = {}) => {
      dryRuns.add(endpoint, handler);
      const run = options.sharing
        ? shareWrites(ctx, options.sharing)
        : (call: Call<typeof endpoint>) => ctx.audited((tx) => handler(call, tx), { address: call.ip });
      serve({
        kind: "write",
        endpoint,
        work: runOrTry(options, run, handler),
        limits: options.limits,
      });
    },
    writeUnaudited: (endpoint, handler, options = {}) => {
      if (options.dryRun) dryRuns.add(endpoint, options.dryRun);
      serve({
        kind: "writeUnaudited",
        endpoint,
        work: runOrTry(options, handler, options.dryRun),
        limits: options.limits,
      });
    },
    receive: (endpoint, work) =>
      void app.register(async (scope) => {
        scope.removeAllContentTypeParsers();
        scope.addContentTypeParser("*", (_request, body, done) => done(null, body));
        serve({ kind: "receive", endpoint, work }, scope);
      }),
    stream: (endpoint, work) => serve({ kind: "stream", endpoint, work }),
  };
}

function parseCall<E extends Endpoint>(
  kind: Kind,
  endpoint: E,
  request: FastifyRequest,
  { admission, now }: { admission: Admission; now: Date },
): Call<E> {
  const caller = admission.callerOf(request);
  const query = endpoint.query && parseQuery(endpoint.query, request);
  admission.authorizeQuery(endpoint, caller?.actor, query as object | undefined);
  return {
    params: requireStorableParams(request.params),
    query,
    body:
      endpoint.body && kind !== "receive"
        ? parseBody(endpoint.body, request.body as Buffer | undefined)
        : undefined,
    now,
    ...caller,
  } as Call<E>;
}

/** PostgreSQL rejects U+0000 in a comparison, so no object has such an ID. */
function requireStorableParams(params: unknown): unknown {
  if (Object.values(params as Record<string, string>).some((value) => value.includes("\0")))
    throw new ApiError("ERR_NOT_FOUND");
  return params;
}
