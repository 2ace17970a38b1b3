/** Nothing else decides who may use an endpoint. */
import {
  type Endpoint,
  isAtLeast,
  RECENT_FACTOR_MS,
  requiredRoleOf,
  requiresRecentFactor,
  type Scope,
} from "@lightkeeper/contract";
import { ApiError } from "../../../infrastructure/errors/api-error.ts";
import type {
  Actor,
  ApiKeyActor,
  Authentication,
  Person,
  Presented,
} from "../../../infrastructure/http/actor.ts";

/** Throws unless the actor may use the endpoint with the presented tokens. */
export function authorize(endpoint: Endpoint, actor: Actor, presented: Presented, now: Date): void {
  if (actor.type === "apiKey") authorizeKey(endpoint, actor);
  else authorizePerson(endpoint, actor, presented, now);
}

function authorizeKey({ access }: Endpoint, { scopes }: ApiKeyActor): void {
  if (access.kind === "anyone") return;
  if (access.kind === "userToken") throw new ApiError("ERR_UNAUTHORIZED");
  if (access.kind !== "scope")
    throw new ApiError("ERR_FORBIDDEN", { message: "API keys can’t use this endpoint" });
  requireScopes(access.scopes, scopes);
}

function requireScopes(needed: readonly Scope[], scopes: readonly Scope[]): void {
  const missing = needed.filter((scope) => !scopes.includes(scope));
  if (missing.length > 0)
    throw new ApiError("ERR_FORBIDDEN", {
      message: `the API key requires the scope ${missing.join(" and ")}`,
    });
}

/** Throws unless the API key has the additional scopes that its query parameters require. */
export function authorizeQuery(
  { access }: Endpoint,
  actor: Actor | undefined,
  query: object | undefined,
): void {
  if (access.kind !== "scope" || actor?.type !== "apiKey") return;
  for (const [parameter, needed] of Object.entries(access.scopesWhen ?? {}))
    if (query && parameter in query && query[parameter as keyof typeof query] === true)
      requireScopes(needed, actor.scopes);
}

function authorizePerson(endpoint: Endpoint, person: Person, presented: Presented, now: Date): void {
  const { access } = endpoint;
  switch (access.kind) {
    case "public":
    case "agent":
    case "presentedTokens":
      return;
    case "userToken":
      if (person.type !== "user") throw new ApiError("ERR_UNAUTHORIZED");
      if (requiresRecentFactor(endpoint) && person.hasTotpAuthenticator) requireRecentFactor(person, now);
      return;
    case "anyone":
      // A user token is enough, but a presented auth token must be valid.
      if (presented.authToken && !person.authentication) throw new ApiError("ERR_2FA_REQUIRED");
      return;
    case "session":
    case "scope":
    case "user":
      authorizeMember(endpoint, person, now);
  }
}

function authorizeMember(endpoint: Endpoint, person: Person, now: Date): void {
  const { access } = endpoint;
  if (!person.authentication) throw new ApiError("ERR_2FA_REQUIRED");
  if (access.kind === "user" && person.type !== "user")
    throw new ApiError("ERR_FORBIDDEN", { message: "people who use single sign-on can’t use this endpoint" });
  const requiredRole = requiredRoleOf(endpoint);
  if (!isAtLeast(person.role, requiredRole))
    throw new ApiError("ERR_FORBIDDEN", {
      message: `this requires the role ${requiredRole}; yours is ${person.role}`,
    });
  if (requiresRecentFactor(endpoint)) requireRecentFactor(person, now);
}

/** Throws unless the person authenticated within the last hour. */
export function requireRecentFactor({ authentication }: Person, now: Date): Authentication {
  if (!authentication) throw new ApiError("ERR_2FA_REQUIRED");
  if (now.getTime() - authentication.at.getTime() > RECENT_FACTOR_MS)
    throw new ApiError("ERR_2FA_RENEWAL_REQUIRED");
  return authentication;
}
