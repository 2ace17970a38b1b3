/** Who is calling, and whether that is enough: the one place for authentication and authorisation. */
import type { Access, AuditActor, Scope } from "@lightkeeper/contract";
import type { Author } from "../db/audited.ts";
import type { Reader } from "../db/client.ts";
import { hashToken, sameHash } from "../crypto/tokens.ts";
import { ApiError } from "./api-error.ts";

interface Organization {
  id: string;
  name: string;
  plan: "free" | "pro" | "selfHosted";
  createdAt: Date;
}

export interface Person {
  type: "user";
  id: string;
  email: string;
  createdAt: Date;
  hasTotpAuthenticator: boolean;
  organization: Organization;
  session: { id: string; lastUsedAt: Date };
  /** When the second factor was given; undefined while it is still owed. */
  secondFactor: { at: Date; expiresAt: Date } | undefined;
}

/** A tool that acts by an API key. */
export interface KeyHolder {
  type: "apiKey";
  id: string;
  name: string;
  scopes: Scope[];
  organization: Organization;
  lastUsedAt: Date | null;
}

export type Actor = Person | KeyHolder;

export interface Presented {
  /** Of a user token, or of an API key. */
  userToken: Buffer;
  authToken: Buffer | undefined;
  isApiKey: boolean;
}

const HEADER = /^Bearer +([\w-]{1,128})(?: +([\w-]{1,128}))? *$/i;

export function presentedTokens(authorization: string | undefined): Presented | undefined {
  const match = HEADER.exec(authorization ?? "");
  if (!match?.[1]) return undefined;
  const [, first, second] = match;
  return {
    userToken: hashToken(first),
    authToken: second ? hashToken(second) : undefined,
    isApiKey: first.startsWith("lkkey-"),
  };
}

/** A session nobody has used for as long as a browser may keep its cookie is over. */
export const SESSION_IDLE_DAYS_MAX = 400;
const DAY_MS = 86_400_000;

export async function findPerson(db: Reader, presented: Presented, now: Date): Promise<Person | undefined> {
  const row = await db
    .selectFrom("sessions")
    .innerJoin("users", "users.id", "sessions.user_id")
    .innerJoin("organizations", "organizations.id", "users.organization_id")
    .leftJoin("auth_tokens", (join) =>
      join
        .onRef("auth_tokens.session_id", "=", "sessions.id")
        .on("auth_tokens.token_hash", "=", presented.authToken ?? Buffer.alloc(0))
        .on("auth_tokens.expires_at", ">", now),
    )
    .select((eb) => [
      "sessions.id as session_id",
      "sessions.token_hash",
      "sessions.last_used_at",
      "users.id",
      "users.email",
      "users.created_at",
      "organizations.id as organization_id",
      "organizations.name as organization_name",
      "organizations.plan",
      "organizations.created_at as organization_created_at",
      "auth_tokens.token_hash as auth_token_hash",
      "auth_tokens.authenticated_at",
      "auth_tokens.expires_at as auth_token_expires_at",
      eb
        .exists(
          eb
            .selectFrom("totp_authenticators")
            .select("id")
            .whereRef("totp_authenticators.user_id", "=", "users.id"),
        )
        .as("has_totp"),
    ])
    .where("sessions.token_hash", "=", presented.userToken)
    .where("sessions.expires_at", ">", now)
    .where("sessions.last_used_at", ">", new Date(now.getTime() - SESSION_IDLE_DAYS_MAX * DAY_MS))
    .executeTakeFirst();
  if (!row || !sameHash(row.token_hash, presented.userToken)) return undefined;
  const authenticated =
    row.auth_token_hash && presented.authToken && sameHash(row.auth_token_hash, presented.authToken);
  return {
    type: "user",
    id: row.id,
    email: row.email,
    createdAt: row.created_at,
    hasTotpAuthenticator: Boolean(row.has_totp),
    organization: {
      id: row.organization_id,
      name: row.organization_name,
      plan: row.plan,
      createdAt: row.organization_created_at,
    },
    session: { id: row.session_id, lastUsedAt: row.last_used_at },
    secondFactor:
      authenticated && row.authenticated_at && row.auth_token_expires_at
        ? { at: row.authenticated_at, expiresAt: row.auth_token_expires_at }
        : undefined,
  };
}

async function findKeyHolder(
  db: Reader,
  { userToken }: Presented,
  now: Date,
): Promise<KeyHolder | undefined> {
  const row = await db
    .selectFrom("api_keys")
    .innerJoin("organizations", "organizations.id", "api_keys.organization_id")
    .select([
      "api_keys.id",
      "api_keys.name",
      "api_keys.scopes",
      "api_keys.token_hash",
      "api_keys.last_used_at",
      "organizations.id as organization_id",
      "organizations.name as organization_name",
      "organizations.plan",
      "organizations.created_at as organization_created_at",
    ])
    .where("api_keys.token_hash", "=", userToken)
    .where((eb) => eb.or([eb("api_keys.expires_at", "is", null), eb("api_keys.expires_at", ">", now)]))
    .executeTakeFirst();
  if (!row || !sameHash(row.token_hash, userToken)) return undefined;
  return {
    type: "apiKey",
    id: row.id,
    name: row.name,
    scopes: row.scopes,
    organization: {
      id: row.organization_id,
      name: row.organization_name,
      plan: row.plan,
      createdAt: row.organization_created_at,
    },
    lastUsedAt: row.last_used_at,
  };
}

export function findActor(db: Reader, presented: Presented, now: Date): Promise<Actor | undefined> {
  return presented.isApiKey ? findKeyHolder(db, presented, now) : findPerson(db, presented, now);
}

export const SECOND_FACTOR_FRESH_MS = 60 * 60 * 1000;

/** Throws unless this actor, with what was presented, may use an endpoint of this access. */
export function authorise(access: Access, actor: Actor, presented: Presented, now: Date): void {
  if (actor.type === "apiKey") authoriseKey(access, actor);
  else authorisePerson(access, actor, presented, now);
}

function authoriseKey(access: Access, { scopes }: KeyHolder): void {
  if (access.kind === "anyone") return;
  if (access.kind === "userToken") throw new ApiError("ERR_UNAUTHORIZED");
  if (access.kind !== "scope")
    throw new ApiError("ERR_FORBIDDEN", { message: "no scope of an API key opens this call" });
  const missing = access.scopes.filter((scope) => !scopes.includes(scope));
  if (missing.length > 0)
    throw new ApiError("ERR_FORBIDDEN", { message: `the API key needs the scope ${missing.join(" and ")}` });
}

function authorisePerson(access: Access, person: Person, presented: Presented, now: Date): void {
  switch (access.kind) {
    case "public":
    case "agent":
    case "presentedTokens":
    case "userToken":
      return;
    case "anyone":
      // A user token alone will do; a second factor that is presented must hold.
      if (presented.authToken && !person.secondFactor) throw new ApiError("ERR_2FA_REQUIRED");
      return;
    case "session":
    case "scope":
    case "user": {
      if (!person.secondFactor) throw new ApiError("ERR_2FA_REQUIRED");
      const age = now.getTime() - person.secondFactor.at.getTime();
      if ("fresh" in access && access.fresh && age > SECOND_FACTOR_FRESH_MS)
        throw new ApiError("ERR_2FA_RENEWAL_REQUIRED");
    }
  }
}

export const authorOf = (actor: Actor): Author => ({
  organizationID: actor.organization.id,
  actor: auditActor(actor),
});

export function auditActor(actor: Actor): AuditActor {
  return actor.type === "apiKey"
    ? { type: "apiKey", id: actor.id, name: actor.name }
    : { type: "user", id: actor.id, email: actor.email };
}
