import { type BodyOf, TOTP_AUTHENTICATORS_MAX, type verifyTotpAuthenticator } from "@lightkeeper/contract";
import type { Selectable } from "kysely";
import { Secret, TOTP } from "otpauth";
import type { Context } from "../context.ts";
import { newId } from "../crypto/ids.ts";
import { hashToken, newToken } from "../crypto/tokens.ts";
import { type AuditEntry, done, type Outcome, refused } from "../db/audited.ts";
import type { Writer } from "../db/client.ts";
import type { Tables } from "../db/tables.ts";
import { ApiError } from "../http/api-error.ts";
import { auditActor, type User } from "../http/credentials.ts";
import { giveBack, type Limit } from "../http/rate-limit.ts";
import { createAuthToken } from "./sessions.service.ts";

export type AuthenticatorRow = Selectable<Tables["totp_authenticators"]>;

const PERIOD_SECONDS = 30;
const SETUP_LIFETIME_MS = 10 * 60 * 1000;
const SECRET_BYTES = 20;
const WRONG_CODES_MAX = 10;

/** Counted before a code is looked at and given back when it was right: guesses cannot outrun the count. */
export const codeLimit = (person: User): Limit => ({
  name: "totp",
  subject: person.id,
  max: WRONG_CODES_MAX,
});

const secretPlace = (id: string) => ({ table: "totp_authenticators", column: "secret", id });

/** The time step a code belongs to, one step of drift allowed; undefined if it is not a code of this secret. */
function stepOf(secret: Buffer, code: string, now: Date): number | undefined {
  const digits = code.replace(/\s/g, "");
  if (!/^\d{6}$/.test(digits)) return undefined;
  const totp = new TOTP({
    secret: new Secret({ buffer: new Uint8Array(secret).buffer }),
    period: PERIOD_SECONDS,
  });
  const delta = totp.validate({ token: digits, window: 1, timestamp: now.getTime() });
  return delta === null ? undefined : Math.floor(now.getTime() / 1000 / PERIOD_SECONDS) + delta;
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
  { person, code, now }: { person: User; code: string; now: Date },
): Promise<Outcome<{ authToken: string }>> {
  const authenticators = await lockAuthenticators(tx, person);
  if (authenticators.length === 0) throw new ApiError("ERR_2FA_ENROLLMENT_REQUIRED");
  const auth = {
    organizationID: person.organization.id,
    actor: auditActor(person),
    target: { type: "user", id: person.id },
    before: null,
    after: { factor: "totp" },
  } as const;
  for (const { id, secret, last_used_step } of authenticators) {
    const step = stepOf(ctx.secrets.open(secret, secretPlace(id)), code, now);
    // Each code counts once, and none older than the last one used.
    if (step === undefined || step <= last_used_step) continue;
    await tx
      .updateTable("totp_authenticators")
      .set({ last_used_step: step, last_used_at: now })
      .where("id", "=", id)
      .execute();
    await giveBack(tx, codeLimit(person));
    const authToken = await createAuthToken(tx, person.session.id, now);
    return done({ authToken }, { ...auth, event: "SUCCEEDED_AUTH" });
  }
  return refused(new ApiError("ERR_INVALID_TOTP_CODE", { path: "code" }), { ...auth, event: "FAILED_AUTH" });
}

/** The first authenticator can be set up with a user token alone; a further one cannot. */
function refuseFurtherWithoutSecondFactor(person: User, existing: number): void {
  if (existing > 0 && !person.authentication) throw new ApiError("ERR_2FA_REQUIRED");
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
  refuseFurtherWithoutSecondFactor(person, count);
  refuseTooMany(count);
  const secret = new Secret({ size: SECRET_BYTES });
  const totpToken = newToken();
  const id = newId("totp");
  await ctx.bookkeeper
    .insertInto("totp_setups")
    .values({
      token_hash: hashToken(totpToken),
      id,
      organization_id: person.organization.id,
      user_id: person.id,
      name,
      secret: ctx.secrets.seal(Buffer.from(secret.bytes), secretPlace(id)),
      expires_at: new Date(now.getTime() + SETUP_LIFETIME_MS),
    })
    .execute();
  const url = new TOTP({
    issuer: "Lightkeeper",
    label: person.email,
    secret,
    period: PERIOD_SECONDS,
  }).toString();
  return { totpToken, secret: secret.base32, url };
}

export async function finishSetup(
  ctx: Context,
  tx: Writer,
  { person, body, now }: { person: User; body: BodyOf<typeof verifyTotpAuthenticator>; now: Date },
): Promise<Outcome<{ authToken: string; authenticator: AuthenticatorRow }>> {
  const existing = await lockAuthenticators(tx, person);
  refuseFurtherWithoutSecondFactor(person, existing.length);
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
  if (step === undefined) throw new ApiError("ERR_INVALID_TOTP_CODE", { path: "code" });
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
  await giveBack(tx, codeLimit(person));
  const authToken = await createAuthToken(tx, person.session.id, now);
  const after = { name: setup.name, userID: person.id };
  return done(
    { authToken, authenticator },
    entry(person, setup.id, { event: "CREATED_TOTP", before: null, after }),
  );
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
