/**
 * An endpoint is a value. The server's parsing, the client's types, the forms' rules, the OpenAPI document
 * and the guard tests all come from it; nothing about a call is written anywhere else.
 */
import type * as z from "zod/mini";
import type { ErrorCode } from "./errors.ts";
import type { MemberRole } from "./member-roles.ts";
import type { Scope } from "./scopes.ts";

interface FactorRule {
  /**
   * The person must have authenticated within `RECENT_FACTOR_MS`. Where a user token alone is enough, this applies once
   * the user has an authenticator.
   */
  recentFactor?: true;
}

export type Access =
  | { kind: "public" }
  /** A host's agent: no session; what it sends proves who it is. */
  | { kind: "agent" }
  /** Whatever tokens are presented; at least one must be known. Only for signing out. */
  | { kind: "presentedTokens" }
  /** A user token without its second factor is enough; every other credential works too. */
  | { kind: "anyone" }
  /** A user token without its second factor is enough; nothing but a user token will do. */
  | ({ kind: "userToken" } & FactorRule)
  /** A signed-in person, by second factor or by single sign-on. */
  | ({ kind: "session"; role?: MemberRole } & FactorRule)
  /** A signed-in person of type user. */
  | ({ kind: "user"; role?: MemberRole } & FactorRule)
  /** A signed-in person, or an API key that holds every one of the scopes. */
  | {
      kind: "scope";
      scopes: readonly [Scope, ...Scope[]];
      /** Further scopes that an API key needs when the query parameter is true. */
      scopesWhen?: Readonly<Record<string, readonly Scope[]>>;
    };

export const access = {
  public: { kind: "public" },
  agent: { kind: "agent" },
  presentedTokens: { kind: "presentedTokens" },
  anyone: { kind: "anyone" },
  userToken: { kind: "userToken" },
  session: { kind: "session" },
  /** What concerns nobody but the caller, whatever their role. */
  own: { kind: "session", role: "auditor" },
  ownUser: { kind: "user", role: "auditor" },
  owner: { kind: "user", role: "owner" },
  scope: (...scopes: [Scope, ...Scope[]]) => ({ kind: "scope", scopes }),
} as const satisfies Record<string, Access | ((...scopes: [Scope, ...Scope[]]) => Access)>;

/** How long after authenticating a person can call endpoints that require a recent second factor. */
export const RECENT_FACTOR_MS = 60 * 60 * 1000;

/** For what hands out credentials, changes who has access, or cannot be undone. */
export const withRecentFactor = <A extends Access & FactorRule>(allowed: A) =>
  ({ ...allowed, recentFactor: true }) as const;

export type Schema = z.ZodMiniType;
type MaybeSchema = Schema | undefined;

/** What the answer is: `data` in the envelope, a page of them, or something that is not JSON. */
export type Answer =
  { kind: "data"; schema: Schema } | { kind: "list"; schema: Schema } | { kind: "raw"; contentType: string };

export interface Endpoint<
  Path extends string = string,
  Query extends MaybeSchema = MaybeSchema,
  Body extends MaybeSchema = MaybeSchema,
  Reply extends Answer = Answer,
  Allowed extends Access = Access,
> {
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: Path;
  noun: string;
  summary: string;
  access: Allowed;
  query: Query;
  body: Body;
  answer: Reply;
  /** Codes beyond those that every endpoint of this shape can answer (see `codesOf`). */
  errors: readonly ErrorCode[];
  /** The largest body that is read; where it is not stated, `bodyBytesMaxOf` derives it from the access. */
  bodyBytesMax?: number;
  deprecated: boolean;
  /** Whether the endpoint is ours alone; where it is not stated, `isExtension` derives it from the access. */
  extension?: boolean;
}

interface Definition<Path, Query, Body, Reply, Allowed> {
  method: Endpoint["method"];
  path: Path;
  noun: string;
  summary: string;
  access: Allowed;
  query?: Query;
  body?: Body;
  answer: Reply;
  errors?: readonly ErrorCode[];
  bodyBytesMax?: number;
  deprecated?: boolean;
  extension?: boolean;
}

export function endpoint<
  const Path extends string,
  const Reply extends Answer,
  const Allowed extends Access,
  Query extends MaybeSchema = undefined,
  Body extends MaybeSchema = undefined,
>(definition: Definition<Path, Query, Body, Reply, Allowed>): Endpoint<Path, Query, Body, Reply, Allowed> {
  const { query, body, errors = [], deprecated = false } = definition;
  return { ...definition, query: query as Query, body: body as Body, errors, deprecated };
}

export const data = <S extends Schema>(schema: S) => ({ kind: "data", schema }) as const;
export const list = <S extends Schema>(schema: S) => ({ kind: "list", schema }) as const;
export const raw = (contentType: string) => ({ kind: "raw", contentType }) as const;

type ParamNames<Path> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never;
export type ParamsOf<E extends Endpoint> = Record<ParamNames<E["path"]>, string>;
export type QueryOf<E extends Endpoint> = E["query"] extends Schema ? z.output<E["query"]> : undefined;
/** The body as the server's handler gets it, after parsing. */
export type BodyOf<E extends Endpoint> = E["body"] extends Schema ? z.output<E["body"]> : undefined;
/** The body as a client writes it, before defaults and trimming. */
export type BodyInputOf<E extends Endpoint> = E["body"] extends Schema ? z.input<E["body"]> : undefined;
export type DataOf<E extends Endpoint> = E["answer"] extends { kind: "data"; schema: infer S extends Schema }
  ? z.output<S>
  : E["answer"] extends { kind: "list"; schema: infer S extends Schema }
    ? z.output<S>[]
    : undefined;

const SIGNED_IN: readonly ErrorCode[] = ["ERR_UNAUTHORIZED", "ERR_2FA_REQUIRED"];
const impliedByAccess: Record<Access["kind"], readonly ErrorCode[]> = {
  public: [],
  agent: [],
  presentedTokens: ["ERR_UNAUTHORIZED"],
  anyone: SIGNED_IN,
  userToken: SIGNED_IN,
  session: [...SIGNED_IN, "ERR_FORBIDDEN"],
  user: [...SIGNED_IN, "ERR_FORBIDDEN"],
  scope: [...SIGNED_IN, "ERR_FORBIDDEN"],
};

/** Every code an endpoint may answer: its own and those that follow from its shape. */
export function codesOf(e: Endpoint): ErrorCode[] {
  const codes = new Set<ErrorCode>(e.errors);
  for (const code of impliedByAccess[e.access.kind]) codes.add(code);
  if (requiresRecentFactor(e)) codes.add("ERR_2FA_RENEWAL_REQUIRED");
  // A path that cannot be decoded is a bad request.
  if (e.path.includes("{")) codes.add("ERR_NOT_FOUND").add("ERR_INVALID_VALUE");
  if (e.body || e.query) codes.add("ERR_INVALID_VALUE").add("ERR_INVALID_VALUE_LENGTH");
  if (e.body) codes.add("ERR_INVALID_JSON").add("ERR_PAYLOAD_TOO_LARGE");
  // Every endpoint limits requests by IP address and by organization.
  codes.add("ERR_TOO_MANY_REQUESTS").add("ERR_INTERNAL_SERVER_ERROR").add("ERR_UNAVAILABLE");
  return [...codes];
}

export const BODY_BYTES_MAX = 1024 * 1024;
const UNAUTHENTICATED_BODY_BYTES_MAX = 16 * 1024;

/** Callers that have not signed in completely may send only small bodies. */
export function bodyBytesMaxOf({ access: { kind }, bodyBytesMax }: Endpoint): number {
  if (bodyBytesMax !== undefined) return bodyBytesMax;
  const isSignedIn = kind === "anyone" || kind === "session" || kind === "user" || kind === "scope";
  return isSignedIn ? BODY_BYTES_MAX : UNAUTHENTICATED_BODY_BYTES_MAX;
}

export function requiresRecentFactor({ access: allowed }: Pick<Endpoint, "access">): boolean {
  return "recentFactor" in allowed && allowed.recentFactor === true;
}

/** Beyond the public API: API keys call the public one, and agents speak the public protocol. */
export function isExtension({ access: { kind }, extension }: Endpoint): boolean {
  return extension ?? (kind !== "scope" && kind !== "agent");
}

export function isWrite(e: Endpoint): boolean {
  return e.method !== "GET";
}

/** What a person has to be, at least: the one rule of who may change things. */
export function roleNeeded(e: Endpoint): MemberRole {
  if ("role" in e.access && e.access.role !== undefined) return e.access.role;
  const isForMembers = e.access.kind === "session" || e.access.kind === "user" || e.access.kind === "scope";
  return isForMembers && isWrite(e) ? "administrator" : "auditor";
}
