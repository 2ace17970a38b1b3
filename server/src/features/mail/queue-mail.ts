import type { Kysely } from "kysely";
import type { UnauditedTables } from "../../infrastructure/db/tables.ts";
import type { MailContent } from "../../infrastructure/db/work-tables.ts";

interface QueuedMail {
  kind: "invitation" | "support" | "notice";
  email: string;
  content: MailContent;
  now: Date;
}

type MailJobs = Pick<Kysely<Pick<UnauditedTables, "mail_jobs">>, "insertInto">;

interface MagicLinkRequest {
  kind: "signIn" | "signUp";
  email: string;
  plan: "pro" | null;
  setupCodeHash: Buffer | null;
  now: Date;
}

/** The outbox decides later which mail to send, if any. */
export async function queueMagicLink(
  db: MailJobs,
  { kind, email, plan, setupCodeHash, now }: MagicLinkRequest,
): Promise<void> {
  await db
    .insertInto("mail_jobs")
    .values({
      kind,
      email,
      plan,
      setup_code_hash: setupCodeHash,
      content: null,
      next_attempt_at: now,
      created_at: now,
    })
    .execute();
}

/** Inside a transaction, the mail is sent only if the transaction commits. */
export async function queueMail(db: MailJobs, { kind, email, content, now }: QueuedMail): Promise<void> {
  await db
    .insertInto("mail_jobs")
    .values({
      kind,
      email,
      plan: null,
      content: JSON.stringify(content),
      next_attempt_at: now,
      created_at: now,
    })
    .execute();
}
