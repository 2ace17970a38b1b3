/** Checks sessions, API keys and single sign-on sessions. Nothing else authenticates requests. */
import type { Reader } from "../../../infrastructure/db/client.ts";
import { prepareQuery } from "../../../infrastructure/db/prepared-query.ts";
import { areHashesEqual } from "../../../infrastructure/crypto/tokens.ts";
import type {
  Actor,
  Authentication,
  ApiKeyActor,
  Organization,
  Person,
  Presented,
  SsoUser,
  User,
} from "../../../infrastructure/http/actor.ts";
import { DAY_MS } from "../../../infrastructure/time/durations.ts";

const organizationColumns = [
  "organizations.id as organization_id",
  "organizations.name as organization_name",
  "organizations.plan",
  "organizations.created_at as organization_created_at",
] as const;

interface OrganizationRow {
  organization_id: string;
  organization_name: string;
  plan: Organization["plan"];
  organization_created_at: Date;
}

const organizationOf = (row: OrganizationRow): Organization => ({
  id: row.organization_id,
  name: row.organization_name,
  plan: row.plan,
  createdAt: row.organization_created_at,
});

/** The longest time that browsers keep a cookie. */
export const SESSION_IDLE_DAYS_MAX = 400;

interface PresentedAt {
  token: Buffer;
  authToken: Buffer;
  now: Date;
  /** A session that was last used before is expired. */
  usedAfter: Date;
}

const selectUser = prepareQuery((db, { token, authToken, now, usedAfter }: PresentedAt) =>
  db
    .selectFrom("sessions")
    .innerJoin("users", "users.id", "sessions.user_id")
    .innerJoin("organizations", "organizations.id", "users.organization_id")
    .leftJoin("auth_tokens", (join) =>
      join
        .onRef("auth_tokens.session_id", "=", "sessions.id")
        .on("auth_tokens.token_hash", "=", authToken)
        .on("auth_tokens.expires_at", ">", now),
    )
    .select((eb) => [
      "sessions.id as session_id",
      "sessions.token_hash",
      "sessions.last_used_at",
      "users.id",
      "users.email",
      "users.role",
      "users.created_at",
      ...organizationColumns,
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
    .where("sessions.token_hash", "=", token)
    .where("sessions.expires_at", ">", now)
    .where("sessions.last_used_at", ">", usedAfter),
);

async function findUser(db: Reader, presented: Presented, now: Date): Promise<User | undefined> {
  const { token, authToken = Buffer.alloc(0) } = presented;
  const usedAfter = new Date(now.getTime() - SESSION_IDLE_DAYS_MAX * DAY_MS);
  const [row] = await selectUser(db, { token, authToken, now, usedAfter });
  if (!row || !areHashesEqual(row.token_hash, presented.token)) return undefined;
  return {
    type: "user",
    id: row.id,
    email: row.email,
    role: row.role,
    createdAt: row.created_at,
    hasTotpAuthenticator: Boolean(row.has_totp),
    organization: organizationOf(row),
    session: { id: row.session_id, lastUsedAt: row.last_used_at },
    authentication: authenticationOf(row, presented),
  };
}

interface AuthTokenRow {
  auth_token_hash: Buffer | null;
  authenticated_at: Date | null;
  auth_token_expires_at: Date | null;
}

function authenticationOf(row: AuthTokenRow, { authToken }: Presented): Authentication | undefined {
  const { auth_token_hash: hash, authenticated_at: at, auth_token_expires_at: expiresAt } = row;
  return hash && authToken && areHashesEqual(hash, authToken) && at && expiresAt
    ? { at, expiresAt }
    : undefined;
}

const selectApiKey = prepareQuery((db, { token, now }: Pick<PresentedAt, "token" | "now">) =>
  db
    .selectFrom("api_keys")
    .innerJoin("organizations", "organizations.id", "api_keys.organization_id")
    .select([
      "api_keys.id",
      "api_keys.name",
      "api_keys.scopes",
      "api_keys.last_used_at",
      ...organizationColumns,
    ])
    .where((eb) =>
      eb.or([
        eb("api_keys.token_hash", "=", token),
        eb.and([
          eb("api_keys.previous_token_hash", "=", token),
          eb("api_keys.previous_expires_at", ">", now),
        ]),
      ]),
    )
    .where((eb) => eb.or([eb("api_keys.expires_at", "is", null), eb("api_keys.expires_at", ">", now)])),
);

async function findApiKeyActor(
  db: Reader,
  { token }: Presented,
  now: Date,
): Promise<ApiKeyActor | undefined> {
  const [row] = await selectApiKey(db, { token, now });
  if (!row) return undefined;
  return {
    type: "apiKey",
    id: row.id,
    name: row.name,
    scopes: row.scopes,
    organization: organizationOf(row),
    lastUsedAt: row.last_used_at,
  };
}

async function findSsoUser(db: Reader, { token }: Presented, now: Date): Promise<SsoUser | undefined> {
  const row = await db
    .selectFrom("oidc_sessions")
    .innerJoin("oidc_users", "oidc_users.id", "oidc_sessions.oidc_user_id")
    .innerJoin("organizations", "organizations.id", "oidc_users.organization_id")
    .select([
      "oidc_sessions.id as session_id",
      "oidc_sessions.token_hash",
      "oidc_sessions.last_used_at",
      "oidc_sessions.created_at",
      "oidc_sessions.expires_at",
      "oidc_users.id",
      "oidc_users.email",
      "oidc_users.role",
      "oidc_users.issuer",
      "oidc_users.subject",
      ...organizationColumns,
    ])
    .where("oidc_sessions.token_hash", "=", token)
    .where("oidc_sessions.expires_at", ">", now)
    .where("oidc_users.removed_at", "is", null)
    .executeTakeFirst();
  if (!row || !areHashesEqual(row.token_hash, token)) return undefined;
  return {
    type: "oidcUser",
    id: row.id,
    email: row.email,
    role: row.role,
    issuer: row.issuer,
    subject: row.subject,
    organization: organizationOf(row),
    session: { id: row.session_id, lastUsedAt: row.last_used_at },
    authentication: { at: row.created_at, expiresAt: row.expires_at },
  };
}

export async function findPerson(db: Reader, presented: Presented, now: Date): Promise<Person | undefined> {
  if (presented.kind === "apiKey") return undefined;
  return presented.kind === "oidcUser" ? findSsoUser(db, presented, now) : findUser(db, presented, now);
}

export function findActor(db: Reader, presented: Presented, now: Date): Promise<Actor | undefined> {
  return presented.kind === "apiKey" ? findApiKeyActor(db, presented, now) : findPerson(db, presented, now);
}
