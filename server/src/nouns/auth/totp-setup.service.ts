import { type BodyOf, TOTP_AUTHENTICATORS_MAX, type verifyTotpAuthenticator } from "@lightkeeper/contract";
import { Secret, TOTP } from "otpauth";
import type { Context } from "../../infrastructure/context/context.ts";
import { newId } from "../../infrastructure/crypto/ids.ts";
import { hashToken, newToken } from "../../infrastructure/crypto/tokens.ts";
import { done, type Outcome } from "../../infrastructure/db/audited.ts";
import type { UnauditedWriter, Writer } from "../../infrastructure/db/client.ts";
import { lockTotpSetupForUpdate } from "../../infrastructure/db/locks.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { Authentication, User } from "../../infrastructure/http/actor.ts";
import type { Origin } from "../../infrastructure/http/origin.ts";
import { refundAttempt } from "../../infrastructure/http/rate-limit.ts";
import { queueMail } from "../../features/mail/queue-mail.ts";
import { MINUTE_MS } from "../../infrastructure/time/durations.ts";
import { newAuthenticatorNotice } from "../../features/mail/notices.ts";
import { codeLimits } from "./code-limits.service.ts";
import { requireRecentFactor } from "./identity/authorize.ts";
import { recordBrowser } from "./known-browsers.service.ts";
import { authenticationAt, createAuthToken } from "./sessions.service.ts";
import { findStep, PERIOD_SECONDS } from "./totp-codes.ts";
import type { AuthenticatorRow } from "./totp.queries.ts";
import { lockAuthenticators, rejectCode, secretLocation, totpEntry } from "./totp.service.ts";

const SETUP_LIFETIME_MS = 10 * MINUTE_MS;
const SECRET_BYTES = 20;
const OPEN_SETUPS_MAX = 5;

/**
 * Verifying the first authenticator counts as mapOutcome a second factor. A further one proves nothing about the
 * existing ones, so the earlier authentication stays in effect.
 */
function requireFactorForSetup(person: User, existing: number, now: Date): Authentication {
  return existing > 0 ? requireRecentFactor(person, now) : authenticationAt(now);
}

function requireAuthenticatorQuota(existing: number): void {
  if (existing >= TOTP_AUTHENTICATORS_MAX)
    throw new ApiError("ERR_LIMIT_EXCEEDED", { extra: { limit: TOTP_AUTHENTICATORS_MAX } });
}

export async function startSetup(
  ctx: Context,
  { person, name = "Authenticator", now }: { person: User; name?: string | undefined; now: Date },
): Promise<{ totpToken: string; secret: string; url: string }> {
  const { count } = await ctx.reader
    .selectFrom("totp_authenticators")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("user_id", "=", person.id)
    .executeTakeFirstOrThrow();
  requireFactorForSetup(person, count, now);
  requireAuthenticatorQuota(count);
  const secret = new Secret({ size: SECRET_BYTES });
  const totpToken = newToken();
  const tokenHash = hashToken(totpToken);
  const id = newId("totp");
  await ctx.unaudited
    .insertInto("totp_setups")
    .values({
      token_hash: tokenHash,
      id,
      organization_id: person.organization.id,
      user_id: person.id,
      name,
      secret: ctx.secrets.seal(Buffer.from(secret.bytes), secretLocation(id)),
      expires_at: new Date(now.getTime() + SETUP_LIFETIME_MS),
    })
    .execute();
  await deleteExcessSetups(ctx, person, tokenHash);
  const url = new TOTP({
    issuer: "Lightkeeper",
    label: person.email,
    secret,
    period: PERIOD_SECONDS,
  }).toString();
  return { totpToken, secret: secret.base32, url };
}

interface SetupVerification {
  person: User;
  body: BodyOf<typeof verifyTotpAuthenticator>;
  origin: Origin;
  now: Date;
}

/** Runs after the new setup is stored, so that concurrent requests stay within the limit too. */
async function deleteExcessSetups({ unaudited }: Context, person: User, newest: Buffer): Promise<void> {
  await unaudited
    .with("excess", (db) =>
      db
        .selectFrom("totp_setups")
        .select("token_hash")
        .where("user_id", "=", person.id)
        .where("token_hash", "!=", newest)
        .orderBy("expires_at", "desc")
        .offset(OPEN_SETUPS_MAX - 1),
    )
    // Rows that another request is deleting are skipped: waiting for each other would deadlock.
    .with("unlocked", (db) =>
      db
        .selectFrom("totp_setups")
        .select("token_hash")
        .where("token_hash", "in", (eb) => eb.selectFrom("excess").select("token_hash"))
        .forUpdate()
        .skipLocked(),
    )
    .deleteFrom("totp_setups")
    .where("token_hash", "in", (eb) => eb.selectFrom("unlocked").select("token_hash"))
    .execute();
}

export async function finishSetup(
  ctx: Context,
  tx: Writer,
  { person, body, origin, now }: SetupVerification,
): Promise<Outcome<{ authToken: string; authenticator: AuthenticatorRow }>> {
  const existing = await lockAuthenticators(tx, person);
  const authentication = requireFactorForSetup(person, existing.length, now);
  requireAuthenticatorQuota(existing.length);
  const setup = await lockTotpSetupForUpdate(tx, hashToken(body.totpToken));
  if (setup?.user_id !== person.id || setup.expires_at <= now)
    throw new ApiError("ERR_INVALID_TOTP_TOKEN", { path: "totpToken" });
  const step = findStep(ctx.secrets.open(setup.secret, secretLocation(setup.id)), body.code, now);
  if (step === undefined) return rejectCode(tx, { person, origin, now });
  await tx.deleteFrom("totp_setups").where("user_id", "=", person.id).execute();
  const authenticator = await tx
    .insertInto("totp_authenticators")
    .values({
      id: setup.id,
      organization_id: setup.organization_id,
      user_id: setup.user_id,
      name: setup.name,
      secret: setup.secret,
      last_used_step: step,
      last_used_at: now,
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await refundAttempt(tx, ...codeLimits(person.id));
  await recordBrowser(ctx, tx, { person, now });
  const authToken = await createAuthToken(tx, person.session.id, authentication);
  await notifyOfAuthenticator(ctx, tx, { person, name: setup.name, origin, now });
  const after = { name: setup.name, userID: person.id };
  return done(
    { authToken, authenticator },
    totpEntry(person, setup.id, { event: "CREATED_TOTP", before: null, after }),
  );
}

async function notifyOfAuthenticator(
  { config }: Context,
  tx: Writer,
  { person, name, origin, now }: { person: User; name: string; origin: Origin; now: Date },
): Promise<void> {
  const content = newAuthenticatorNotice({
    at: now,
    organization: person.organization.name,
    origin,
    appURL: config.appURL,
    email: person.email,
    name,
  });
  await queueMail(tx, { kind: "notice", email: person.email, content, now });
}

export async function deleteExpiredSetups(db: UnauditedWriter, now: Date): Promise<void> {
  await db.deleteFrom("totp_setups").where("expires_at", "<=", now).execute();
}
