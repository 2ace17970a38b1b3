/** Serves an endpoint: authentication, authorization, limits, parsing, limits that need the body, handler, response. */
import {
  type BodyOf,
  bodyBytesMaxOf,
  type DataOf,
  type Endpoint,
  isWrite,
  type ListMetadata,
  type ParamsOf,
  type QueryOf,
} from "@lightkeeper/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "../context/context.ts";
import type { Outcome } from "../db/audited.ts";
import type { Writer } from "../db/client.ts";
import { ApiError } from "../errors/api-error.ts";
import { type Admission, type Caller, type CallerLimits, runFor } from "./caller.ts";
import { parseBody, parseQuery } from "./parse.ts";
import { consume, type Limit } from "./rate-limit.ts";
import { assertDeclaresCodes, assertMatchesSchema } from "./response-checks.ts";

export interface Call<E extends Endpoint> extends Caller<E> {
  params: ParamsOf<E>;
  query: QueryOf<E>;
  body: BodyOf<E>;
  now: Date;
}

type HandlerResult<E extends Endpoint> = E["response"]["kind"] extends "list"
  ? { data: DataOf<E>; metadata: ListMetadata }
  : DataOf<E>;

/** Limits are consumed before the handler runs, and stay consumed if it fails. */
interface WriteOptions<E extends Endpoint> {
  /** Consumed before the body is read. */
  limits?: CallerLimits<E>;
  /** Consumed after the body is parsed. */
  bodyLimits?: (call: Call<E>) => Limit[];
}

export interface Routes {
  read<E extends Endpoint>(endpoint: E, handler: (call: Call<E>) => Promise<HandlerResult<E>>): void;
  /** Runs in one transaction with its audit entries. */
  write<E extends Endpoint>(
    endpoint: E,
    handler: (call: Call<E>, tx: Writer) => Promise<Outcome<DataOf<E>>>,
    options?: WriteOptions<E>,
  ): void;
  /** For requests that change nothing an organization owns: no transaction, no audit entry. */
  writeUnaudited<E extends Endpoint>(
    endpoint: E,
    handler: (call: Call<E>) => Promise<DataOf<E>>,
    options?: WriteOptions<E>,
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

export function createRoutes(app: FastifyInstance, ctx: Context, { admission, strict }: RouteOptions) {
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
    if (strict) assertMatchesSchema(endpoint, envelope);
    return envelope;
  }

  function serve<E extends Endpoint>(route: Served<E>, within: FastifyInstance = app): void {
    const { kind, endpoint, limits } = route;
    if (served.has(endpoint)) throw new Error(`${endpoint.method} ${endpoint.path} is served twice`);
    if (kind !== "stream" && (kind !== "read") !== isWrite(endpoint))
      throw new Error(`${endpoint.method} ${endpoint.path} cannot be served as a ${kind}`);
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

  return { routes: createRouteMethods(app, ctx, serve), served };
}

type Serve = <E extends Endpoint>(route: Served<E>, within?: FastifyInstance) => void;

function createRouteMethods(app: FastifyInstance, ctx: Context, serve: Serve): Routes {
  return {
    read: (endpoint, work) => serve({ kind: "read", endpoint, work }),
    write: (endpoint, handler, { limits, bodyLimits } = {}) => {
      const work = async (call: Call<typeof endpoint>) => {
        if (bodyLimits) await consume(ctx.unaudited, call.now, bodyLimits(call));
        return ctx.audited((tx) => handler(call, tx), { address: call.ip });
      };
      serve({ kind: "write", endpoint, work, limits });
    },
    writeUnaudited: (endpoint, handler, { limits, bodyLimits } = {}) => {
      const work = async (call: Call<typeof endpoint>) => {
        if (bodyLimits) await consume(ctx.unaudited, call.now, bodyLimits(call));
        return handler(call);
      };
      serve({ kind: "writeUnaudited", endpoint, work, limits });
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
    ...caller,
    params: requireStorableParams(request.params),
    query,
    body:
      endpoint.body && kind !== "receive"
        ? parseBody(endpoint.body, request.body as Buffer | undefined)
        : undefined,
    now,
  } as Call<E>;
}

/** PostgreSQL rejects U+0000 in a comparison, so no object has such an ID. */
function requireStorableParams(params: unknown): unknown {
  if (Object.values(params as Record<string, string>).some((value) => value.includes("\0")))
    throw new ApiError("ERR_NOT_FOUND");
  return params;
}
