/** Runs the handler of an endpoint and responds with its result or error. */
import type { Endpoint } from "@lightkeeper/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "../context/context.ts";
import { ApiError } from "../errors/api-error.ts";
import type { Call } from "./call.ts";
import { type Admission, type CallerLimits, runFor } from "./caller.ts";
import { parseBody, parseQuery } from "./parse.ts";
import { assertDeclaresCodes, assertMatchesSchema } from "./response-checks.ts";

/** Responds later. Callbacks keep little in memory while a request waits, in contrast to a chain of promises. */
export type Later<Data> = (send: (data: Data) => void, fail: (error: Error) => void) => void;

export type Kind = "read" | "write" | "writeUnaudited" | "receive" | "stream";

export interface Served<E extends Endpoint> {
  kind: Kind;
  endpoint: E;
  work: (call: Call<E>, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
  limits?: CallerLimits<E> | undefined;
}

/** What tests also check. Without `strict`, nothing is checked. */
function createChecks({ strict }: { strict: boolean }) {
  /** Returns the error, or one that says that the contract doesn't declare it. */
  function checkError(endpoint: Endpoint, error: unknown): unknown {
    if (!strict) return error;
    try {
      assertDeclaresCodes(endpoint, error);
      return error;
    } catch (undeclared) {
      return undeclared;
    }
  }
  return {
    checkError,
    checkCodes<T>(endpoint: Endpoint, step: Promise<T>): Promise<T> {
      if (!strict) return step;
      return step.catch((error: unknown) => {
        throw checkError(endpoint, error);
      });
    },
    toEnvelope(endpoint: Endpoint, result: unknown, { isDryRun }: { isDryRun: boolean }): unknown {
      const envelope = endpoint.response.kind === "list" ? result : { data: result, metadata: {} };
      if (strict) assertMatchesSchema(endpoint, envelope, { isDryRun });
      return envelope;
    },
  };
}

export function createResponder(ctx: Context, options: { admission: Admission; strict: boolean }) {
  const { admission } = options;
  const checks = createChecks(options);

  async function respond<E extends Endpoint>(
    { kind, endpoint, work }: Served<E>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<unknown> {
    const call = parseCall(kind, endpoint, request, { admission, now: ctx.clock() });
    const result = await runFor(call, () => work(call, request, reply));
    if (kind === "stream" && result === undefined) return reply;
    return checks.toEnvelope(endpoint, result, { isDryRun: isDryRun(call) });
  }

  /** Returns no promise, which Fastify would keep in memory until the response. */
  function receive<E extends Endpoint>(
    { kind, endpoint, work }: Served<E>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    const fail = (error: unknown) => void reply.send(checks.checkError(endpoint, error));
    const send = (result: unknown) => {
      try {
        void reply.send(checks.toEnvelope(endpoint, result, { isDryRun: false }));
      } catch (error) {
        fail(error);
      }
    };
    const handle = async () => {
      const call = parseCall(kind, endpoint, request, { admission, now: ctx.clock() });
      const result = await runFor(call, () => work(call, request, reply));
      if (typeof result === "function") (result as Later<unknown>)(send, fail);
      else send(result);
    };
    handle().catch(fail);
  }

  return { checks, respond, receive };
}

export const isDryRun = ({ query }: { query?: unknown }): boolean =>
  (query as { dryRun?: unknown } | undefined)?.dryRun === true;

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
