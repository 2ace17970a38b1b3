import { AUTH_TOKEN_DAYS, SESSION_TOKEN_DAYS } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { newId } from "../../infrastructure/crypto/ids.ts";
import { hashToken, newToken } from "../../infrastructure/crypto/tokens.ts";
import type { Reader, UnauditedWriter, Writer } from "../../infrastructure/db/client.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { Authentication, Presented, User } from "../../infrastructure/http/actor.ts";
import type { Origin } from "../../infrastructure/http/origin.ts";
import { announce } from "../../infrastructure/changes/announce.ts";
import { revokeSsoSession } from "../sso/sso-sessions.service.ts";
import type { Account } from "./accounts.service.ts";
import { findPerson, SESSION_IDLE_DAYS_MAX } from "./identity/find-actor.ts";
import { DAY_MS, MINUTE_MS } from "../../infrastructure/time/durations.ts";

const USER_AGENT_LENGTH_MAX = 512;
const EARLIER_TOKEN_MS = MINUTE_MS;
const daysLater = (now: Date, days: number) => new Date(now.getTime() + days * DAY_MS);

export async function createSession(
  tx: Writer,
  account: Account,
  now: Date,
  origin?: Origin,
): Promise<string> {
  const token = newToken();
  await tx
    .insertInto("sessions")
    .values({
      id: newId("session"),
      organization_id: account.organizationID,
      user_id: account.userID,
      token_hash: hashToken(token),
      created_at: now,
      last_used_at: now,
      expires_at: daysLater(now, SESSION_TOKEN_DAYS),
      address: origin?.ip ?? null,
      user_agent: origin?.userAgent?.slice(0, USER_AGENT_LENGTH_MAX) ?? null,
    })
    .execute();
  return token;
}

/** The authentication that starts when a second factor is presented. */
export const authenticationAt = (now: Date): Authentication => ({
  at: now,
  expiresAt: daysLater(now, AUTH_TOKEN_DAYS),
});

/** After another login: requests that were sent with an earlier token can still finish. */
export async function expireEarlierTokens(tx: Writer, sessionID: string, now: Date): Promise<void> {
  const expiresAt = new Date(now.getTime() + EARLIER_TOKEN_MS);
  await tx
    .updateTable("auth_tokens")
    .set({ expires_at: expiresAt })
    .where("session_id", "=", sessionID)
    .where("expires_at", ">", expiresAt)
    .execute();
}

export async function createAuthToken(
  tx: Writer,
  sessionID: string,
  { at, expiresAt }: Authentication,
): Promise<string> {
  const token = newToken();
  await tx
    .insertInto("auth_tokens")
    .values({
      token_hash: hashToken(token),
      session_id: sessionID,
      authenticated_at: at,
      expires_at: expiresAt,
    })
    .execute();
  return token;
}

export async function recordSessionUse(db: UnauditedWriter, id: string, now: Date): Promise<void> {
  await db.updateTable("sessions").set({ last_used_at: now }).where("id", "=", id).execute();
}

/** Marks a session as used with a second factor. */
export async function completeSession(tx: Writer, id: string, now: Date): Promise<void> {
  await tx.updateTable("sessions").set({ completed_at: now }).where("id", "=", id).execute();
}

/** Revokes every presented token; at least one of them must be known. */
export async function signOut(ctx: Context, presented: Presented | undefined, now: Date): Promise<void> {
  const person = presented && (await findPerson(ctx.reader, presented, now));
  const revoked = presented?.authToken && (await revokeAuthToken(ctx, presented.authToken, now));
  if (!person && !revoked) throw new ApiError("ERR_UNAUTHORIZED");
  if (!person) return;
  if (person.type === "oidcUser") await revokeSsoSession(ctx.unaudited, person.session.id);
  else await ctx.unaudited.deleteFrom("sessions").where("id", "=", person.session.id).execute();
  await announce(ctx.unaudited, {
    organizationID: person.organization.id,
    noun: "sessions",
    id: person.session.id,
  });
}

/** Revokes one of the person's own sessions. */
export async function revokeSession(ctx: Context, person: User, id: string): Promise<void> {
  const deleted = await ctx.unaudited
    .deleteFrom("sessions")
    .where("user_id", "=", person.id)
    .where("id", "=", id)
    .returning("id")
    .executeTakeFirst();
  if (!deleted) throw new ApiError("ERR_NOT_FOUND");
  await announce(ctx.unaudited, { organizationID: person.organization.id, noun: "sessions", id });
}

/** Revokes all of the person's sessions, including the current one. */
export async function revokeSessions(ctx: Context, person: User): Promise<void> {
  const deleted = await ctx.unaudited
    .deleteFrom("sessions")
    .where("user_id", "=", person.id)
    .returning("id")
    .execute();
  const organizationID = person.organization.id;
  await announce(ctx.unaudited, ...deleted.map(({ id }) => ({ organizationID, noun: "sessions", id })));
}

/** The token may belong to another session than the user token presented with it. */
async function revokeAuthToken(ctx: Context, hash: Buffer, now: Date): Promise<boolean> {
  const deleted = await ctx.unaudited
    .deleteFrom("auth_tokens")
    .where("token_hash", "=", hash)
    .where("expires_at", ">", now)
    .returning("session_id")
    .executeTakeFirst();
  return deleted !== undefined;
}

export function listSessions(db: Reader, userID: string, now: Date) {
  return db
    .selectFrom("sessions")
    .select(["id", "created_at", "last_used_at", "address", "user_agent"])
    .where("user_id", "=", userID)
    .where("expires_at", ">", now)
    .orderBy("last_used_at", "desc")
    .orderBy("id")
    .limit(100)
    .execute();
}

export async function deleteExpiredSessions(db: UnauditedWriter, now: Date): Promise<void> {
  const idleSince = daysLater(now, -SESSION_IDLE_DAYS_MAX);
  await db.deleteFrom("auth_tokens").where("expires_at", "<=", now).execute();
  await db
    .deleteFrom("sessions")
    .where((eb) => eb.or([eb("expires_at", "<=", now), eb("last_used_at", "<=", idleSince)]))
    .execute();
}
