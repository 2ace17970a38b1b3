/**
 * An endpoint is a value. The server's parsing, the client's types, the validation of forms, the OpenAPI document and
 * the guard tests are all derived from it.
 */
import type * as z from "zod/mini";
import { HOUR_MS } from "./durations.ts";
import type { ErrorCode } from "./errors.ts";
import type { MemberRole } from "./member-roles.ts";
import type { Noun, Scope } from "./nouns.ts";

interface FactorRule {
  /**
   * The person must have authenticated within `RECENT_FACTOR_MS`. If a user token is enough, this applies only to users
   * with an authenticator.
   */
  recentFactor?: true;
}

export type Access =
  | { kind: "public" }
  /** A host's agent, without a session: its messages are signed. */
  | { kind: "agent" }
  /** Any tokens, of which at least one must be valid. Only for logging out. */
  | { kind: "presentedTokens" }
  /** Any credential, including a user token without the second factor. */
  | { kind: "anyone" }
  /** A user token, with or without the second factor. */
  | ({ kind: "userToken" } & FactorRule)
  /** A logged-in person, with the second factor or single sign-on. */
  | ({ kind: "session"; role?: MemberRole } & FactorRule)
  /** A logged-in person of type user, not single sign-on. */
  | ({ kind: "user"; role?: MemberRole } & FactorRule)
  /** A logged-in person, or an API key with all of the scopes. */
  | {
      kind: "scope";
      scopes: readonly [Scope, ...Scope[]];
      /** Further scopes that an API key needs when the query parameter is true. */
      scopesWhen?: Readonly<Record<string, readonly Scope[]>>;
      /** The least role of a person, if it differs from what the method implies. */
      role?: MemberRole;
    };

export const access = {
  public: { kind: "public" },
  agent: { kind: "agent" },
  presentedTokens: { kind: "presentedTokens" },
  anyone: { kind: "anyone" },
  userToken: { kind: "userToken" },
  session: { kind: "session" },
  /** For the caller's own data, with any role. */
  own: { kind: "session", role: "auditor" },
  ownUser: { kind: "user", role: "auditor" },
  owner: { kind: "user", role: "owner" },
  scope: (...scopes: [Scope, ...Scope[]]) => ({ kind: "scope", scopes }),
} as const satisfies Record<string, Access | ((...scopes: [Scope, ...Scope[]]) => Access)>;

/** How long after authenticating a person can call endpoints that require a recent second factor. */
export const RECENT_FACTOR_MS = HOUR_MS;

/** For endpoints that create credentials, change who has access, or can't be undone. */
export const withRecentFactor = <A extends Access & FactorRule>(baseAccess: A) =>
  ({ ...baseAccess, recentFactor: true }) as const;

export type Schema = z.ZodMiniType;
type MaybeSchema = Schema | undefined;

/** The body of a successful response: one value, a page of a list, or raw content that isn't JSON. */
export type ResponseSpec =
  | { kind: "data"; schema: Schema }
  | { kind: "list"; schema: Schema }
  | { kind: "raw"; contentType: string };

export interface Endpoint<
  Path extends string = string,
  Query extends MaybeSchema = MaybeSchema,
  Body extends MaybeSchema = MaybeSchema,
  Response extends ResponseSpec = ResponseSpec,
  Allowed extends Access = Access,
> {
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: Path;
  noun: Noun;
  summary: string;
  access: Allowed;
  query: Query;
  body: Body;
  response: Response;
  /** Codes in addition to those that `codesOf` derives from the endpoint. */
  errors: readonly ErrorCode[];
  /** Default: `bodyBytesMaxOf`. */
  bodyBytesMax?: number;
  deprecated: boolean;
  /** Whether the public API lacks this endpoint. Default: `isExtension`. */
  extension?: boolean;
}

interface Definition<Path, Query, Body, Response, Allowed> {
  method: Endpoint["method"];
  path: Path;
  noun: Noun;
  summary: string;
  access: Allowed;
  query?: Query;
  body?: Body;
  response: Response;
  errors?: readonly ErrorCode[];
  bodyBytesMax?: number;
  deprecated?: boolean;
  extension?: boolean;
}

export function endpoint<
  const Path extends string,
  const Response extends ResponseSpec,
  const Allowed extends Access,
  Query extends MaybeSchema = undefined,
  Body extends MaybeSchema = undefined,
>(
  definition: Definition<Path, Query, Body, Response, Allowed>,
): Endpoint<Path, Query, Body, Response, Allowed> {
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
export type DataOf<E extends Endpoint> = E["response"] extends {
  kind: "data";
  schema: infer S extends Schema;
}
  ? z.output<S>
  : E["response"] extends { kind: "list"; schema: infer S extends Schema }
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

/** Every error code that an endpoint can return: its own and those derived from its access, path, query and body. */
export function codesOf(checked: Endpoint): ErrorCode[] {
  const {
    access: { kind },
    path,
    query,
    body,
    errors,
  } = checked;
  const codes = new Set<ErrorCode>(errors);
  for (const code of impliedByAccess[kind]) codes.add(code);
  if (requiresRecentFactor(checked)) codes.add("ERR_2FA_RENEWAL_REQUIRED");
  // A path that can't be decoded is an invalid value.
  if (path.includes("{")) codes.add("ERR_NOT_FOUND").add("ERR_INVALID_VALUE");
  if (acceptsDryRun(checked)) codes.add("ERR_GUARANTEE_VIOLATED");
  if (body || query) codes.add("ERR_INVALID_VALUE").add("ERR_INVALID_VALUE_LENGTH");
  if (body) codes.add("ERR_INVALID_JSON").add("ERR_PAYLOAD_TOO_LARGE");
  // Every endpoint limits requests by IP address and by organization.
  codes.add("ERR_TOO_MANY_REQUESTS").add("ERR_INTERNAL_SERVER_ERROR").add("ERR_UNAVAILABLE");
  return [...codes];
}

/** Whether the call changes who reaches whom, so that it can be tried without being made. */
export const acceptsDryRun = ({ query }: Pick<Endpoint, "query">): boolean =>
  query !== undefined && "shape" in query && Object.hasOwn(query.shape as object, "dryRun");

export const BODY_BYTES_MAX = 1024 * 1024;
const UNAUTHENTICATED_BODY_BYTES_MAX = 16 * 1024;

/** Callers that aren't fully logged in may send only small bodies. */
export function bodyBytesMaxOf({ access: { kind }, bodyBytesMax }: Endpoint): number {
  if (bodyBytesMax !== undefined) return bodyBytesMax;
  const isSignedIn = kind === "anyone" || kind === "session" || kind === "user" || kind === "scope";
  return isSignedIn ? BODY_BYTES_MAX : UNAUTHENTICATED_BODY_BYTES_MAX;
}

export function requiresRecentFactor({ access: required }: Pick<Endpoint, "access">): boolean {
  return "recentFactor" in required && required.recentFactor === true;
}

/** Whether the public API lacks this endpoint. By default, it has those for API keys and agents. */
export function isExtension({ access: { kind }, extension }: Endpoint): boolean {
  return extension ?? (kind !== "scope" && kind !== "agent");
}

export function isWrite({ method }: Pick<Endpoint, "method">): boolean {
  return method !== "GET";
}

/** The least role that a person needs to call the endpoint. */
export function requiredRoleOf({ access: required, method }: Endpoint): MemberRole {
  if ("role" in required && required.role !== undefined) return required.role;
  const isForMembers = required.kind === "session" || required.kind === "user" || required.kind === "scope";
  return isForMembers && isWrite({ method }) ? "administrator" : "auditor";
}
