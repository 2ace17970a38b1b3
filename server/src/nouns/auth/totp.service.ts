import type { Context } from "../../infrastructure/context/context.ts";
import { type AuditEntry, done, type Outcome, rejected } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { lockUserForNoKeyUpdate } from "../../infrastructure/db/locks.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { auditActor, type User } from "../../infrastructure/http/actor.ts";
import type { Origin } from "../../infrastructure/http/origin.ts";
import { refundAttempt } from "../../infrastructure/http/rate-limit.ts";
import { codeLimits, notifyOfReachedLimit } from "./code-limits.service.ts";
import { recordBrowser } from "./known-browsers.service.ts";
import { authenticationAt, createAuthToken, expireEarlierTokens } from "./sessions.service.ts";
import { findStep, isCodeUsed } from "./totp-codes.ts";
import type { AuthenticatorRow } from "./totp.queries.ts";

/** More steps than can be valid at the same time. */
const RECENT_STEPS_MAX = 10;

export const secretLocation = (id: string) => ({ table: "totp_authenticators", column: "secret", id });

export function totpEntry(
  person: User,
  totpID: string,
  rest: Pick<AuditEntry, "event" | "before" | "after">,
): AuditEntry {
  return {
    organizationID: person.organization.id,
    actor: auditActor(person),
    target: { type: "totp", id: totpID },
    ...rest,
  };
}

export async function lockAuthenticators(tx: Writer, person: User): Promise<AuthenticatorRow[]> {
  await lockUserForNoKeyUpdate(tx, person.id);
  return tx
    .selectFrom("totp_authenticators")
    .selectAll()
    .where("user_id", "=", person.id)
    .orderBy("created_at")
    .execute();
}

export async function logIn(
  ctx: Context,
  tx: Writer,
  { person, code, origin, now }: { person: User; code: string; origin: Origin; now: Date },
): Promise<Outcome<{ authToken: string }>> {
  const authenticators = await lockAuthenticators(tx, person);
  if (authenticators.length === 0) throw new ApiError("ERR_2FA_ENROLLMENT_REQUIRED");
  for (const authenticator of authenticators) {
    const { id, secret, last_used_step, recent_steps } = authenticator;
    const step = findStep(ctx.secrets.open(secret, secretLocation(id)), code, now);
    if (step === undefined || isCodeUsed(authenticator, step, now)) continue;
    const steps = [...recent_steps.filter((recent) => recent !== last_used_step), last_used_step];
    await tx
      .updateTable("totp_authenticators")
      .set({ last_used_step: step, recent_steps: steps.slice(-RECENT_STEPS_MAX), last_used_at: now })
      .where("id", "=", id)
      .execute();
    const { authToken, entry } = await completeLogIn(ctx, tx, { person, now, details: { factor: "totp" } });
    return done({ authToken }, entry);
  }
  return rejectCode(tx, { person, origin, now });
}

/** After a right code: refunds the attempt and creates the token. The caller has locked the user. */
export async function completeLogIn(
  ctx: Context,
  tx: Writer,
  { person, now, details }: { person: User; now: Date; details: Record<string, unknown> },
): Promise<{ authToken: string; entry: AuditEntry }> {
  await refundAttempt(tx, ...codeLimits(person.id));
  const isNewLocation = await recordBrowser(ctx, tx, { person, now });
  await expireEarlierTokens(tx, person.session.id, now);
  const authToken = await createAuthToken(tx, person.session.id, authenticationAt(now));
  const entry = authEntry(person, "SUCCEEDED_AUTH", { ...details, ...(isNewLocation && { isNewLocation }) });
  return { authToken, entry };
}

const authEntry = (
  person: User,
  event: "SUCCEEDED_AUTH" | "FAILED_AUTH",
  details: Record<string, unknown>,
): AuditEntry => ({
  organizationID: person.organization.id,
  actor: auditActor(person),
  target: { type: "user", id: person.id },
  event,
  before: null,
  after: details,
});

const errorsByFactor = {
  totp: "ERR_INVALID_TOTP_CODE",
  recoveryCode: "ERR_INVALID_RECOVERY_CODE",
} as const;

interface RejectedAttempt {
  person: User;
  origin: Origin;
  now: Date;
  factor?: keyof typeof errorsByFactor;
}

export async function rejectCode(
  tx: Writer,
  { factor = "totp", ...attempt }: RejectedAttempt,
): Promise<Outcome<never>> {
  await notifyOfReachedLimit(tx, attempt);
  const error = new ApiError(errorsByFactor[factor], { path: "code" });
  return rejected(error, authEntry(attempt.person, "FAILED_AUTH", { factor }));
}

function getAuthenticator(rows: AuthenticatorRow[], id: string): AuthenticatorRow {
  const row = rows.find((candidate) => candidate.id === id);
  if (!row) throw new ApiError("ERR_NOT_FOUND");
  return row;
}

export async function renameAuthenticator(
  tx: Writer,
  { person, id, name }: { person: User; id: string; name: string },
): Promise<Outcome<AuthenticatorRow>> {
  const before = getAuthenticator(await lockAuthenticators(tx, person), id);
  const after = await tx
    .updateTable("totp_authenticators")
    .set({ name })
    .where("id", "=", id)
    .where("user_id", "=", person.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return done(
    after,
    totpEntry(person, id, { event: "UPDATED", before: { name: before.name }, after: { name } }),
  );
}

export async function deleteAuthenticator(
  tx: Writer,
  { person, id }: { person: User; id: string },
): Promise<Outcome<Record<string, never>>> {
  const rows = await lockAuthenticators(tx, person);
  const row = getAuthenticator(rows, id);
  if (rows.length === 1)
    throw new ApiError("ERR_INVALID_VALUE", { message: "you can’t delete your only authenticator" });
  await tx.deleteFrom("totp_authenticators").where("id", "=", id).where("user_id", "=", person.id).execute();
  const before = { name: row.name, userID: person.id };
  return done({}, totpEntry(person, id, { event: "DELETED_TOTP", before, after: null }));
}
