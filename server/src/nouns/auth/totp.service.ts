import { type BodyOf, TOTP_AUTHENTICATORS_MAX, type verifyTotpAuthenticator } from "@lightkeeper/contract";
import type { Selectable } from "kysely";
import { Secret, TOTP } from "otpauth";
import type { Context } from "../../infrastructure/context/context.ts";
import { newId } from "../../infrastructure/crypto/ids.ts";
import { hashToken, newToken } from "../../infrastructure/crypto/tokens.ts";
import { type AuditEntry, done, type Outcome, refused } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import {
  auditActor,
  type Authentication,
  requireRecentFactor,
  type User,
} from "../../infrastructure/http/credentials.ts";
import type { Origin } from "../../infrastructure/http/origin.ts";
import { giveBack } from "../../infrastructure/http/rate-limit.ts";
import { newAuthenticatorNotice } from "../../features/mail/notices.ts";
import { queueMail } from "../../infrastructure/mail/queue-mail.ts";
import { codeLimits, notifyOfReachedLimit } from "./code-limits.service.ts";
import { recordBrowser } from "./known-browsers.service.ts";
import { authenticationAt, createAuthToken } from "./sessions.service.ts";

export type AuthenticatorRow = Selectable<Tables["totp_authenticators"]>;

const PERIOD_SECONDS = 30;
const SETUP_LIFETIME_MS = 10 * 60 * 1000;
const SECRET_BYTES = 20;
const OPEN_SETUPS_MAX = 5;
/** More than can be valid at the same time. */
const RECENT_STEPS_MAX = 10;

const secretPlace = (id: string) => ({ table: "totp_authenticators", column: "secret", id });

const stepAt = (now: Date) => Math.floor(now.getTime() / 1000 / PERIOD_SECONDS);

/** The time step a code belongs to, one step of drift allowed; undefined if it is not a code of this secret. */
function stepOf(secret: Buffer, code: string, now: Date): number | undefined {
  const digits = code.replace(/\s/g, "");
  if (!/^\d{6}$/.test(digits)) return undefined;
  const totp = new TOTP({
    secret: new Secret({ buffer: new Uint8Array(secret).buffer }),
    period: PERIOD_SECONDS,
  });
  const delta = totp.validate({ token: digits, window: 1, timestamp: now.getTime() });
  return delta === null ? undefined : stepAt(now) + delta;
}

type UsedSteps = Pick<AuthenticatorRow, "last_used_step" | "recent_steps">;

/** Each code counts once, and none older than the last one used, unless that one was used before the clock was set back. */
function isUsed({ last_used_step, recent_steps }: UsedSteps, step: number, now: Date): boolean {
  if (step === last_used_step || recent_steps.includes(step)) return true;
  const isFromFuture = last_used_step > stepAt(now) + 1;
  return !isFromFuture && step < last_used_step;
}

function entry(
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

async function lockAuthenticators(tx: Writer, person: User): Promise<AuthenticatorRow[]> {
  await tx.selectFrom("users").select("id").where("id", "=", person.id).forNoKeyUpdate().execute();
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
    const step = stepOf(ctx.secrets.open(secret, secretPlace(id)), code, now);
    if (step === undefined || isUsed(authenticator, step, now)) continue;
    const steps = [...recent_steps.filter((recent) => recent !== last_used_step), last_used_step];
    await tx
      .updateTable("totp_authenticators")
      .set({ last_used_step: step, recent_steps: steps.slice(-RECENT_STEPS_MAX), last_used_at: now })
      .where("id", "=", id)
      .execute();
    await giveBack(tx, ...codeLimits(person.id));
    await recordBrowser(ctx, tx, { person, now });
    const authToken = await createAuthToken(tx, person.session.id, authenticationAt(now));
    return done({ authToken }, authEntry(person, "SUCCEEDED_AUTH"));
  }
  return rejectCode(tx, { person, origin, now });
}

const authEntry = (person: User, event: "SUCCEEDED_AUTH" | "FAILED_AUTH"): AuditEntry => ({
  organizationID: person.organization.id,
  actor: auditActor(person),
  target: { type: "user", id: person.id },
  event,
  before: null,
  after: { factor: "totp" },
});

async function rejectCode(
  tx: Writer,
  attempt: { person: User; origin: Origin; now: Date },
): Promise<Outcome<never>> {
  await notifyOfReachedLimit(tx, attempt);
  const error = new ApiError("ERR_INVALID_TOTP_CODE", { path: "code" });
  return refused(error, authEntry(attempt.person, "FAILED_AUTH"));
}

/**
 * Verifying the first authenticator presents a second factor. The code of a further one says nothing about those that
 * exist already, so the time when one of those was presented keeps counting.
 */
function requireFactorForSetup(person: User, existing: number, now: Date): Authentication {
  return existing > 0 ? requireRecentFactor(person, now) : authenticationAt(now);
}

function refuseTooMany(existing: number): void {
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
  refuseTooMany(count);
  const secret = new Secret({ size: SECRET_BYTES });
  const totpToken = newToken();
  const tokenHash = hashToken(totpToken);
  const id = newId("totp");
  await ctx.bookkeeper
    .insertInto("totp_setups")
    .values({
      token_hash: tokenHash,
      id,
      organization_id: person.organization.id,
      user_id: person.id,
      name,
      secret: ctx.secrets.seal(Buffer.from(secret.bytes), secretPlace(id)),
      expires_at: new Date(now.getTime() + SETUP_LIFETIME_MS),
    })
    .execute();
  await dropOldestSetups(ctx, person, tokenHash);
  const url = new TOTP({
    issuer: "Lightkeeper",
    label: person.email,
    secret,
    period: PERIOD_SECONDS,
  }).toString();
  return { totpToken, secret: secret.base32, url };
}

interface FinishedSetup {
  person: User;
  body: BodyOf<typeof verifyTotpAuthenticator>;
  origin: Origin;
  now: Date;
}

/** Each request does this after its own setup is stored, so concurrent requests stay within the limit too. */
async function dropOldestSetups({ bookkeeper }: Context, person: User, newest: Buffer): Promise<void> {
  await bookkeeper
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
  { person, body, origin, now }: FinishedSetup,
): Promise<Outcome<{ authToken: string; authenticator: AuthenticatorRow }>> {
  const existing = await lockAuthenticators(tx, person);
  const authentication = requireFactorForSetup(person, existing.length, now);
  refuseTooMany(existing.length);
  const setup = await tx
    .selectFrom("totp_setups")
    .selectAll()
    .where("token_hash", "=", hashToken(body.totpToken))
    .where("user_id", "=", person.id)
    .where("expires_at", ">", now)
    .forUpdate()
    .executeTakeFirst();
  if (!setup) throw new ApiError("ERR_INVALID_TOTP_TOKEN", { path: "totpToken" });
  const step = stepOf(ctx.secrets.open(setup.secret, secretPlace(setup.id)), body.code, now);
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
  await giveBack(tx, ...codeLimits(person.id));
  await recordBrowser(ctx, tx, { person, now });
  const authToken = await createAuthToken(tx, person.session.id, authentication);
  await notifyOfAuthenticator(ctx, tx, { person, name: setup.name, origin, now });
  const after = { name: setup.name, userID: person.id };
  return done(
    { authToken, authenticator },
    entry(person, setup.id, { event: "CREATED_TOTP", before: null, after }),
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

function getOwn(rows: AuthenticatorRow[], id: string): AuthenticatorRow {
  const row = rows.find((candidate) => candidate.id === id);
  if (!row) throw new ApiError("ERR_NOT_FOUND");
  return row;
}

export async function renameAuthenticator(
  tx: Writer,
  { person, id, name }: { person: User; id: string; name: string },
): Promise<Outcome<AuthenticatorRow>> {
  const before = getOwn(await lockAuthenticators(tx, person), id);
  const after = await tx
    .updateTable("totp_authenticators")
    .set({ name })
    .where("id", "=", id)
    .where("user_id", "=", person.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return done(after, entry(person, id, { event: "UPDATED", before: { name: before.name }, after: { name } }));
}

export async function deleteAuthenticator(
  tx: Writer,
  { person, id }: { person: User; id: string },
): Promise<Outcome<Record<string, never>>> {
  const rows = await lockAuthenticators(tx, person);
  const row = getOwn(rows, id);
  if (rows.length === 1)
    throw new ApiError("ERR_INVALID_VALUE", { message: "the last authenticator cannot be deleted" });
  await tx.deleteFrom("totp_authenticators").where("id", "=", id).where("user_id", "=", person.id).execute();
  const before = { name: row.name, userID: person.id };
  return done({}, entry(person, id, { event: "DELETED_TOTP", before, after: null }));
}
