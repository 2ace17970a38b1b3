/** Sessions of people who use single sign-on. */
import { AUTH_TOKEN_DAYS } from "@lightkeeper/contract";
import { announce } from "../../infrastructure/changes/announce.ts";
import { newId } from "../../infrastructure/crypto/ids.ts";
import { hashToken, newToken } from "../../infrastructure/crypto/tokens.ts";
import type { UnauditedWriter, Writer } from "../../infrastructure/db/client.ts";
import { DAY_MS } from "../../infrastructure/time/durations.ts";

export const SSO_TOKEN_PREFIX = "lkoid-";

export async function createSsoSession(
  tx: Writer,
  { organizationID, userID, now }: { organizationID: string; userID: string; now: Date },
): Promise<string> {
  const token = `${SSO_TOKEN_PREFIX}${newToken()}`;
  await tx
    .insertInto("oidc_sessions")
    .values({
      id: newId("session"),
      organization_id: organizationID,
      oidc_user_id: userID,
      token_hash: hashToken(token),
      created_at: now,
      last_used_at: now,
      expires_at: new Date(now.getTime() + AUTH_TOKEN_DAYS * DAY_MS),
    })
    .execute();
  return token;
}

export async function recordSsoSessionUse(db: UnauditedWriter, id: string, now: Date): Promise<void> {
  await db.updateTable("oidc_sessions").set({ last_used_at: now }).where("id", "=", id).execute();
}

export async function revokeSsoSession(db: UnauditedWriter, id: string): Promise<void> {
  await db.deleteFrom("oidc_sessions").where("id", "=", id).execute();
}

export async function revokeSsoSessionsOf(
  tx: Writer,
  { organizationID, userID }: { organizationID: string; userID: string },
): Promise<void> {
  await tx
    .deleteFrom("oidc_sessions")
    .where("organization_id", "=", organizationID)
    .where("oidc_user_id", "=", userID)
    .execute();
}

/** Everyone who uses single sign-on has to sign in again. */
export async function revokeAllSsoSessions(tx: Writer, organizationID: string): Promise<void> {
  const revoked = await tx
    .deleteFrom("oidc_sessions")
    .where("organization_id", "=", organizationID)
    .returning("id")
    .execute();
  if (revoked.length > 0)
    await announce(tx, ...revoked.map(({ id }) => ({ organizationID, noun: "sessions", id })));
}

export async function deleteExpiredSsoSessions(db: UnauditedWriter, now: Date): Promise<void> {
  await db.deleteFrom("oidc_sessions").where("expires_at", "<=", now).execute();
}
