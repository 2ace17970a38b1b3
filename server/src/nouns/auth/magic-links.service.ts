import { sql } from "kysely";
import { ConfigError } from "../../infrastructure/config/config.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { hashToken, newToken } from "../../infrastructure/crypto/tokens.ts";
import { type AuditEntry, done, type Outcome } from "../../infrastructure/db/audited.ts";
import type { Reader, UnauditedWriter, Writer } from "../../infrastructure/db/client.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { Origin } from "../../infrastructure/http/origin.ts";
import type { Message } from "../../infrastructure/mail/mailer.ts";
import type { MailJob } from "../../features/mail/outbox.ts";
import type { Selectable } from "kysely";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { type Account, createAccount, findAccount } from "./accounts.service.ts";
import { hasInvitation } from "../members/invitations.service.ts";
import { magicLinkMail } from "./magic-link-mail.ts";
import { createSession } from "./sessions.service.ts";
import { MINUTE_MS } from "../../infrastructure/time/durations.ts";

type Link = Selectable<Tables["magic_links"]>;

const LINK_LIFETIME_MS = 15 * MINUTE_MS;

/** Returns the mail for a job, or undefined if none is due. Only the hash of the token is stored. */
export async function composeMagicLink(ctx: Context, job: MailJob): Promise<Message | undefined> {
  const known = await ctx.reader
    .selectFrom("users")
    .select("id")
    .where("email", "=", job.email)
    .executeTakeFirst();
  const isInvited = !known && (await hasInvitation(ctx.reader, job.email, ctx.clock()));
  if (!known && !isInvited && job.kind === "signIn") return undefined;
  const purpose = known || isInvited ? "signIn" : "signUp";
  const { email, plan, setup_code_hash } = job;
  const link = await createMagicLink(ctx, ctx.unaudited, { email, purpose, plan, setup_code_hash });
  return magicLinkMail({ to: email, purpose, link });
}

type NewLink = Pick<Link, "email" | "purpose" | "plan" | "setup_code_hash">;

/** Returns the URL. */
async function createMagicLink(
  { clock, config }: Pick<Context, "clock" | "config">,
  db: Pick<UnauditedWriter, "insertInto">,
  link: NewLink,
): Promise<string> {
  const token = newToken();
  const expiresAt = new Date(clock().getTime() + LINK_LIFETIME_MS);
  await db
    .insertInto("magic_links")
    .values({ ...link, token_hash: hashToken(token), expires_at: expiresAt })
    .execute();
  // The link may be opened in another browser, so it carries the chosen plan.
  const planQuery = link.plan === "pro" ? "&plan=pro" : "";
  return `${config.appURL}/auth/magic-link?magicLinkToken=${token}${planQuery}`;
}

/** For the operator: a login link that isn't mailed. */
export async function createLoginLink(ctx: Context, tx: Writer, email: string): Promise<Outcome<string>> {
  const account = await findAccount(tx, email.trim().toLowerCase());
  if (!account) throw new ConfigError(`No user has the email address ${email}`);
  const newLink = { email: account.email, purpose: "signIn", plan: null, setup_code_hash: null } as const;
  return done(await createMagicLink(ctx, tx, newLink), {
    organizationID: account.organizationID,
    actor: { type: "support" },
    target: { type: "user", id: account.userID },
    event: "CREATED_LOGIN_LINK",
    before: null,
    after: { email: account.email },
  });
}

const invalidLink = () => new ApiError("ERR_INVALID_MAGIC_LINK_TOKEN", { path: "magicLinkToken" });

/** Does not lock or use up the link. */
export async function getMagicLink(db: Reader, token: string, now: Date): Promise<Link> {
  const link = await db
    .selectFrom("magic_links")
    .selectAll()
    .where("token_hash", "=", hashToken(token))
    .where("expires_at", ">", now)
    .executeTakeFirst();
  if (!link) throw invalidLink();
  return link;
}

/** Locks all links of the address until the transaction ends, so that only one of them is used. */
export async function lockMagicLink(tx: Writer, token: string, now: Date): Promise<Link> {
  const { email } = await getMagicLink(tx, token, now);
  await sql`select pg_advisory_xact_lock(hashtextextended(${email}, 0))`.execute(tx);
  return getMagicLink(tx, token, now);
}

/** A login link is sent to accounts and invited people only, so it does not prove that sign-up was requested. */
export async function canSignUpWith(db: Reader, link: Link, now: Date): Promise<boolean> {
  return link.purpose === "signUp" || (await hasInvitation(db, link.email, now));
}

interface Login {
  now: Date;
  origin: Origin;
}

/** Creates a session and uses up every link of the address. */
export async function logInByLink(
  tx: Writer,
  { account, entries = [] }: { account: Account; entries?: AuditEntry[] },
  { now, origin }: Login,
): Promise<Outcome<{ sessionToken: string }>> {
  await tx.deleteFrom("magic_links").where("email", "=", account.email).execute();
  const sessionToken = await createSession(tx, account, now, origin);
  return done(
    { sessionToken },
    {
      organizationID: account.organizationID,
      actor: { type: "user", id: account.userID, email: account.email },
      target: { type: "user", id: account.userID },
      event: "SUCCEEDED_AUTH",
      before: null,
      after: { factor: "magicLink" },
    },
    ...entries,
  );
}

/** An invited address without an account has to accept or decline first; its link stays valid until then. */
export async function verifyMagicLink(
  ctx: Context,
  tx: Writer,
  { token, ...login }: Login & { token: string },
): Promise<Outcome<{ sessionToken: string }>> {
  const link = await lockMagicLink(tx, token, login.now);
  const account = await findAccount(tx, link.email);
  if (account) return logInByLink(tx, { account }, login);
  if (await hasInvitation(tx, link.email, login.now)) throw new ApiError("ERR_INVITATION_PENDING");
  return signUpByLink(ctx, tx, link, login);
}

/** Creates an account with its own organization. The caller has locked the link and checked for an account. */
export async function signUpByLink(
  ctx: Context,
  tx: Writer,
  link: Link,
  login: Login,
): Promise<Outcome<{ sessionToken: string }>> {
  if (!(await canSignUpWith(tx, link, login.now))) throw invalidLink();
  const { email, plan, setup_code_hash: setupCodeHash } = link;
  const created = await createAccount(ctx, tx, { email, plan, setupCodeHash, now: login.now });
  return logInByLink(tx, created, login);
}

export async function deleteExpiredMagicLinks(db: UnauditedWriter, now: Date): Promise<void> {
  await db.deleteFrom("magic_links").where("expires_at", "<=", now).execute();
}
