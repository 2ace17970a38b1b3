/** Runs a change without making it: the same handler, in a transaction that is rolled back. */
import { type AccessPreview, acceptsDryRun, type Endpoint } from "@lightkeeper/contract";
import type { Outcome } from "../db/audited.ts";
import type { Writer } from "../db/client.ts";
import { ApiError } from "../errors/api-error.ts";
import type { Actor } from "./actor.ts";
import type { Call } from "./call.ts";
import type { Admission, Caller } from "./caller.ts";
import { parse } from "./parse.ts";

type Work = (tx: Writer) => Promise<Outcome<unknown>>;

/** Shows what the work would open and close, and rolls it back; the access feature implements it. */
export type PreviewWork = (work: Work, actor: Actor) => Promise<AccessPreview>;

export interface Mutation {
  method: string;
  path: string;
  body?: unknown;
}

type Handler = (call: Call<Endpoint>, tx: Writer) => Promise<Outcome<unknown>>;

export interface DryRuns {
  add<E extends Endpoint>(
    endpoint: E,
    handler: (call: Call<E>, tx: Writer) => Promise<Outcome<unknown>>,
  ): void;
  /** Checks the request like the endpoint itself does; the errors of the result have paths below `path`. */
  prepare(mutation: Mutation, caller: Caller<Endpoint>, context: { path: string; now: Date }): Promise<Work>;
}

interface Served {
  endpoint: Endpoint;
  pattern: RegExp;
  handler: Handler;
}

export function createDryRuns(admission: Pick<Admission, "authorize" | "authorizeQuery">): DryRuns {
  const served: Served[] = [];

  function find(method: string, pathname: string): { served: Served; params: Record<string, string> } {
    for (const each of served) {
      const match = each.endpoint.method === method && each.pattern.exec(pathname);
      if (match) return { served: each, params: decodeParams(match.groups ?? {}) };
    }
    throw new ApiError("ERR_INVALID_VALUE", {
      path: "path",
      message: "no call with a dry run has this path",
    });
  }

  return {
    add(endpoint, handler) {
      if (!acceptsDryRun(endpoint)) return;
      const pattern = new RegExp(`^${endpoint.path.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);
      served.push({ endpoint, pattern, handler });
    },

    prepare(mutation, caller, { path, now }) {
      return withPaths(path, async () => {
        const { pathname, searchParams } = readPath(mutation.path);
        const {
          served: { endpoint, handler },
          params,
        } = find(mutation.method, pathname);
        admission.authorize(endpoint, caller, now);
        const query = endpoint.query && parse(endpoint.query, Object.fromEntries(searchParams));
        admission.authorizeQuery(endpoint, caller.actor, query as object | undefined);
        const body = await withPaths(
          "body",
          async () => endpoint.body && parse(endpoint.body, mutation.body ?? {}),
        );
        const call = { ...caller, params, query, body, now } as Call<Endpoint>;
        return (tx) => withPaths(path, () => handler(call, tx));
      });
    },
  };
}

function readPath(path: string): URL {
  const invalid = () =>
    new ApiError("ERR_INVALID_VALUE", { path: "path", message: "must be a path of the API" });
  if (!path.startsWith("/")) throw invalid();
  try {
    return new URL(path, "http://server");
  } catch {
    throw invalid();
  }
}

function decodeParams(params: Record<string, string>): Record<string, string> {
  try {
    return Object.fromEntries(Object.entries(params).map(([key, value]) => [key, decodeURIComponent(value)]));
  } catch {
    throw new ApiError("ERR_INVALID_VALUE", { path: "path", message: "must be a path of the API" });
  }
}

/** Errors of the mutation name the part of the request that contains it. */
function prefixPaths(error: unknown, prefix: string): unknown {
  if (!(error instanceof ApiError)) return error;
  for (const [index, entry] of error.errors.entries()) {
    const path = entry.path ? `${prefix}${entry.path.startsWith("[") ? "" : "."}${entry.path}` : prefix;
    error.errors[index] = { ...entry, path };
  }
  return error;
}

async function withPaths<T>(prefix: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw prefixPaths(error, prefix);
  }
}
