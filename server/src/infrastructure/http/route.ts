/** From an endpoint value to a served route: who → may they → limits → shape → limits → work → answer. */
import {
  type BodyOf,
  bodyBytesMaxOf,
  codesOf,
  type DataOf,
  type Endpoint,
  isWrite,
  ListMetadata,
  type ParamsOf,
  type QueryOf,
} from "@lightkeeper/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "../context/context.ts";
import type { Outcome } from "../db/audited.ts";
import type { Writer } from "../db/client.ts";
import { runAs, UNAUTHENTICATED } from "../scheduling/work-class.ts";
import { ApiError } from "../errors/api-error.ts";
import {
  type Actor,
  authorise,
  authoriseQuery,
  type Person,
  type Presented,
  presentedTokens,
  type User,
} from "./credentials.ts";
import { findActor } from "./find-actor.ts";
import { parseBody, parseQuery } from "./parse.ts";
import { consume, type Limit } from "./rate-limit.ts";
import { createTokenOrganizations } from "./token-organizations.ts";
import { HOUR_MS, MINUTE_MS } from "../time/durations.ts";

/** Whoever calls: a person, or a key where the endpoint has a scope for it. */
type ActorOf<E extends Endpoint> = E["access"]["kind"] extends "public" | "agent" | "presentedTokens"
  ? undefined
  : Actor;
/** The same where only people may call. */
type PersonOf<E extends Endpoint> = E["access"]["kind"] extends "userToken" | "user"
  ? User
  : E["access"]["kind"] extends "session"
    ? Person
    : undefined;

/** What is known of a call before its body is read. */
interface Caller<E extends Endpoint> {
  actor: ActorOf<E>;
  person: PersonOf<E>;
  presented: Presented | undefined;
  ip: string;
  userAgent: string | undefined;
}

export interface Call<E extends Endpoint> extends Caller<E> {
  params: ParamsOf<E>;
  query: QueryOf<E>;
  body: BodyOf<E>;
  now: Date;
}

type Answered<E extends Endpoint> = E["response"]["kind"] extends "list"
  ? { data: DataOf<E>; metadata: ListMetadata }
  : DataOf<E>;

/** Limits are consumed before the work begins, and kept whatever comes of it. */
interface WriteOptions<E extends Endpoint> {
  /** Consumed before the body is read. */
  limits?: (caller: Caller<E>) => Limit[];
  /** Consumed after it, for those that depend on it. */
  bodyLimits?: (call: Call<E>) => Limit[];
}

export interface Routes {
  read<E extends Endpoint>(endpoint: E, handler: (call: Call<E>) => Promise<Answered<E>>): void;
  /** Runs in one transaction with its audit entries. */
  write<E extends Endpoint>(
    endpoint: E,
    handler: (call: Call<E>, tx: Writer) => Promise<Outcome<DataOf<E>>>,
    options?: WriteOptions<E>,
  ): void;
  /** For calls that change nothing an organization owns: no transaction, no audit entry. */
  note<E extends Endpoint>(
    endpoint: E,
    handler: (call: Call<E>) => Promise<DataOf<E>>,
    options?: WriteOptions<E>,
  ): void;
  /** As a note, by a handler that reads the body by itself, as it comes in. */
  receive<E extends Endpoint>(
    endpoint: E,
    handler: (
      call: Omit<Call<E>, "body">,
      request: FastifyRequest,
      reply: FastifyReply,
    ) => Promise<DataOf<E>>,
  ): void;
  /** Writes its answer by itself, or hands back data to be answered as ever. */
  stream<E extends Endpoint>(
    endpoint: E,
    handler: (call: Call<E>, request: FastifyRequest, reply: FastifyReply) => Promise<DataOf<E> | void>,
  ): void;
}

export interface RouteOptions {
  /** Hold every answer against its schema and every refusal against the endpoint's codes. */
  strict: boolean;
}

export function createRoutes(app: FastifyInstance, ctx: Context, { strict }: RouteOptions) {
  type Kind = "read" | "write" | "note" | "receive" | "stream";
  const served = new Map<Endpoint, Kind>();
  const organizationOf = createTokenOrganizations();

  const callers = new WeakMap<FastifyRequest, Caller<Endpoint>>();

  /** Authentication, authorization and the limits that do not depend on the body. */
  async function admit<E extends Endpoint>(
    endpoint: E,
    request: FastifyRequest,
    limits: WriteOptions<E>["limits"],
  ): Promise<void> {
    const now = ctx.clock();
    const presented = presentedTokens(request.headers.authorization);
    const actor = await runAs(organizationOf.find(presented) ?? UNAUTHENTICATED, () =>
      identify(ctx, endpoint, presented, now),
    );
    if (actor) {
      request.actorID = actor.id;
      organizationOf.remember(presented, actor.organization.id);
    }
    const caller = {
      actor,
      person: actor?.type === "apiKey" ? undefined : actor,
      presented,
      ip: request.ip,
      userAgent: request.headers["user-agent"],
    } as Caller<E>;
    if (limits) await runFor(caller, () => consume(ctx.bookkeeper, now, limits(caller)));
    callers.set(request, caller);
  }

  function parseCall<E extends Endpoint>(kind: Kind, endpoint: E, request: FastifyRequest): Call<E> {
    const caller = callers.get(request);
    const query = endpoint.query && parseQuery(endpoint.query, request);
    authoriseQuery(endpoint, caller?.actor, query as object | undefined);
    return {
      ...caller,
      params: namedParams(request.params),
      query,
      body:
        endpoint.body && kind !== "receive"
          ? parseBody(endpoint.body, request.body as Buffer | undefined)
          : undefined,
      now: ctx.clock(),
    } as Call<E>;
  }

  function serve<E extends Endpoint>(
    kind: Kind,
    endpoint: E,
    work: (call: Call<E>, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
    { limits, within = app }: { limits?: WriteOptions<E>["limits"]; within?: FastifyInstance } = {},
  ): void {
    if (served.has(endpoint)) throw new Error(`${endpoint.method} ${endpoint.path} is served twice`);
    if (kind !== "stream" && (kind !== "read") !== isWrite(endpoint))
      throw new Error(`${endpoint.method} ${endpoint.path} cannot be served as a ${kind}`);
    served.set(endpoint, kind);
    const declaring = async <T>(step: Promise<T>): Promise<T> => {
      if (!strict) return step;
      return step.catch((error: unknown) => {
        holdCodes(endpoint, error);
        throw error;
      });
    };
    const answer = async (request: FastifyRequest, reply: FastifyReply) => {
      const call = parseCall(kind, endpoint, request);
      const result = await runFor(call, () => work(call, request, reply));
      if (kind === "stream" && result === undefined) return reply;
      const envelope = endpoint.response.kind === "list" ? result : { data: result, metadata: {} };
      if (strict) holdAgainst(endpoint, envelope);
      return envelope;
    };
    within.route({
      method: endpoint.method,
      url: endpoint.path.replace(/\{(\w+)\}/g, ":$1"),
      bodyLimit: bodyBytesMaxOf(endpoint),
      config: {
        takesTime: kind === "receive",
        allowance: endpoint.access.kind === "agent" ? "agents" : "general",
      },
      // In this hook nothing of the body has been read yet.
      onRequest: (request) => declaring(admit(endpoint, request, limits)),
      handler: (request, reply) => declaring(answer(request, reply)),
    });
  }

  const routes: Routes = {
    read: (endpoint, handler) => serve("read", endpoint, handler),
    write: (endpoint, handler, { limits, bodyLimits } = {}) => {
      const work = async (call: Call<typeof endpoint>) => {
        if (bodyLimits) await consume(ctx.bookkeeper, call.now, bodyLimits(call));
        return ctx.audited((tx) => handler(call, tx), { address: call.ip });
      };
      serve("write", endpoint, work, { limits });
    },
    note: (endpoint, handler, { limits, bodyLimits } = {}) => {
      const work = async (call: Call<typeof endpoint>) => {
        if (bodyLimits) await consume(ctx.bookkeeper, call.now, bodyLimits(call));
        return handler(call);
      };
      serve("note", endpoint, work, { limits });
    },
    receive: (endpoint, handler) =>
      void app.register(async (scope) => {
        scope.removeAllContentTypeParsers();
        scope.addContentTypeParser("*", (_request, body, done) => done(null, body));
        serve("receive", endpoint, handler, { within: scope });
      }),
    stream: (endpoint, handler) => serve("stream", endpoint, handler),
  };
  return { routes, served };
}

/** Queues the work of a request with that of its organization. */
const runFor = <T>({ actor }: { actor?: Actor | undefined }, work: () => T): T =>
  runAs(actor?.organization.id ?? UNAUTHENTICATED, work);

/** Nothing is named with a character that the database cannot even compare. */
function namedParams(params: unknown): unknown {
  if (Object.values(params as Record<string, string>).some((value) => value.includes("\0")))
    throw new ApiError("ERR_NOT_FOUND");
  return params;
}

const SESSION_TOUCH_MS = HOUR_MS;
const KEY_TOUCH_MS = MINUTE_MS;

async function identify(
  ctx: Context,
  endpoint: Endpoint,
  presented: Presented | undefined,
  now: Date,
): Promise<Actor | undefined> {
  const { access } = endpoint;
  if (access.kind === "public" || access.kind === "agent" || access.kind === "presentedTokens")
    return undefined;
  const actor = presented && (await findActor(ctx.reader, presented, now));
  if (!actor) throw new ApiError("ERR_UNAUTHORIZED");
  authorise(endpoint, actor, presented, now);
  await touch(ctx, actor, now);
  return actor;
}

/** Notes that somebody is still there, but not at every call. */
async function touch({ bookkeeper }: Context, actor: Actor, now: Date): Promise<void> {
  // A time far in the future was stored before the clock was set back.
  const isOlder = (at: Date | null, ms: number) => at === null || Math.abs(now.getTime() - at.getTime()) > ms;
  if (actor.type === "apiKey") {
    if (!isOlder(actor.lastUsedAt, KEY_TOUCH_MS)) return;
    await bookkeeper.updateTable("api_keys").set({ last_used_at: now }).where("id", "=", actor.id).execute();
  } else if (isOlder(actor.session.lastUsedAt, SESSION_TOUCH_MS)) {
    const sessions = bookkeeper.updateTable(actor.type === "user" ? "sessions" : "oidc_sessions");
    await sessions.set({ last_used_at: now }).where("id", "=", actor.session.id).execute();
  }
}

function holdAgainst(endpoint: Endpoint, envelope: unknown): void {
  if (endpoint.response.kind === "raw") return;
  const { data, metadata } = envelope as { data: unknown; metadata: unknown };
  if (endpoint.response.kind === "list") {
    for (const item of data as unknown[]) endpoint.response.schema.parse(item);
    ListMetadata.parse(metadata);
  } else endpoint.response.schema.parse(data);
}

function holdCodes(endpoint: Endpoint, error: unknown): void {
  if (!(error instanceof ApiError)) return;
  const allowed: string[] = codesOf(endpoint);
  const stray = error.errors.find(({ code }) => !allowed.includes(code));
  if (stray) throw new Error(`${endpoint.method} ${endpoint.path} does not declare ${stray.code}`);
}
