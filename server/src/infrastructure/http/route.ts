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
import type { Call } from "./call.ts";
import type { Admission, CallerLimits } from "./caller.ts";
import { createDryRuns, type DryRuns, type PreviewWork } from "./dry-runs.ts";
import { consume, type Limit } from "./rate-limit.ts";
import { type Sharing, shareWrites } from "./shared-writes.ts";
import { createResponder, isDryRun, type Kind, type Later, type Served } from "./responses.ts";

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
  /** Like `writeUnaudited`, with a handler that reads the body as a stream and may respond later. */
  receive<E extends Endpoint>(
    endpoint: E,
    handler: (
      call: Omit<Call<E>, "body">,
      request: FastifyRequest,
      reply: FastifyReply,
    ) => Promise<DataOf<E> | Later<DataOf<E>>>,
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

export function createRoutes(
  app: FastifyInstance,
  ctx: Context,
  { admission, previewWork, strict }: RouteOptions,
) {
  const dryRuns = createDryRuns(admission);
  const served = new Map<Endpoint, Kind>();
  const { checks, respond, receive } = createResponder(ctx, { admission, strict });

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
      onRequest: (request) => checks.checkCodes(endpoint, admission.admit(endpoint, request, limits)),
      handler: (request, reply) =>
        kind === "receive"
          ? receive(route, request, reply)
          : checks.checkCodes(endpoint, respond(route, request, reply)),
    });
  }

  return { routes: createRouteMethods(app, ctx, { serve, dryRuns, previewWork }), served, dryRuns };
}

function assertServable(served: ReadonlyMap<Endpoint, Kind>, kind: Kind, endpoint: Endpoint): void {
  if (served.has(endpoint)) throw new Error(`${endpoint.method} ${endpoint.path} is served twice`);
  if (kind !== "stream" && (kind !== "read") !== isWrite(endpoint))
    throw new Error(`${endpoint.method} ${endpoint.path} cannot be served as a ${kind}`);
}

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
