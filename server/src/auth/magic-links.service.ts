import { sql } from "kysely";
import type { Context } from "../context.ts";
import { hashToken, newToken } from "../crypto/tokens.ts";
import { done, type Outcome } from "../db/audited.ts";
import type { Writer } from "../db/client.ts";
import { ApiError } from "../http/api-error.ts";
import type { Message } from "../mail/mailer.ts";
import type { MailJob } from "../mail/outbox.ts";
import type { Selectable } from "kysely";
import type { Tables } from "../db/tables.ts";
import { createAccount, findAccount } from "./accounts.service.ts";
import { acceptInvitation, hasInvitation } from "../members/invitations.service.ts";
import { magicLinkMail } from "./magic-link-mail.ts";
import { createSession, type Origin } from "./sessions.service.ts";

type Link = Selectable<Tables["magic_links"]>;

const LINK_LIFETIME_MS = 15 * 60 * 1000;

/**
 * Asking for a link only writes down that somebody asked: the answer takes the same time and the same
 * statements whether or not the address is known. Who gets which mail is decided afterwards.
 */
export async function requestMagicLink(
  ctx: Context,
  job: { kind: "signIn" | "signUp"; email: string; plan: "pro" | null },
  now: Date,
): Promise<void> {
  await ctx.bookkeeper
    .insertInto("mail_jobs")
    .values({ ...job, content: null, next_attempt_at: now, created_at: now })
    .execute();
}

/** The mail a job asks for, or none. The token exists in the mail alone; the database has its hash. */
export async function composeMagicLink(ctx: Context, job: MailJob): Promise<Message | undefined> {
  const known = await ctx.reader
    .selectFrom("users")
    .select("id")
    .where("email", "=", job.email)
    .executeTakeFirst();
  const isInvited = !known && (await hasInvitation(ctx.reader, job.email, ctx.clock()));
  if (!known && !isInvited && job.kind === "signIn") return undefined;
  const token = newToken();
  const purpose = known || isInvited ? "signIn" : "signUp";
  await ctx.bookkeeper
    .insertInto("magic_links")
    .values({
      token_hash: hashToken(token),
      email: job.email,
      purpose,
      plan: job.plan,
      expires_at: new Date(ctx.clock().getTime() + LINK_LIFETIME_MS),
    })
    .execute();
  // The link is opened wherever the mail is read: what was to be bought has to go with it.
  const wanted = job.plan === "pro" ? "&plan=pro" : "";
  const link = `${ctx.config.appURL}/auth/magic-link?magicLinkToken=${token}${wanted}`;
  return magicLinkMail({ to: job.email, purpose, link });
}

/** Takes the link out of circulation, with every other one for the same address. */
async function redeem(tx: Writer, token: string, now: Date) {
  const hash = hashToken(token);
  const waiting = await tx
    .selectFrom("magic_links")
    .select("email")
    .where("token_hash", "=", hash)
    .executeTakeFirst();
  if (!waiting) return undefined;
  // Links for one address are redeemed one after the other.
  await sql`select pg_advisory_xact_lock(hashtextextended(${waiting.email}, 0))`.execute(tx);
  const link = await tx
    .deleteFrom("magic_links")
    .where("token_hash", "=", hash)
    .where("expires_at", ">", now)
    .returningAll()
    .executeTakeFirst();
  if (link) await tx.deleteFrom("magic_links").where("email", "=", link.email).execute();
  return link;
}

/** Somebody new: invited into an organization, or the first of their own. */
async function join(ctx: Context, tx: Writer, link: Pick<Link, "email" | "plan" | "purpose">, now: Date) {
  const invited = await acceptInvitation(tx, link.email, now);
  if (invited) return invited;
  if (link.purpose === "signIn")
    throw new ApiError("ERR_INVALID_MAGIC_LINK_TOKEN", { path: "magicLinkToken" });
  return createAccount(ctx, tx, { email: link.email, plan: link.plan, now });
}

export async function verifyMagicLink(
  ctx: Context,
  tx: Writer,
  { token, now, origin }: { token: string; now: Date; origin: Origin },
): Promise<Outcome<{ sessionToken: string }>> {
  const link = await redeem(tx, token, now);
  if (!link) throw new ApiError("ERR_INVALID_MAGIC_LINK_TOKEN", { path: "magicLinkToken" });
  const existing = await findAccount(tx, link.email);
  const made = existing ? undefined : await join(ctx, tx, link, now);
  const account = existing ?? made?.account;
  if (!account) throw new Error("A verified link without an account");
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
    ...(made?.entries ?? []),
  );
}
