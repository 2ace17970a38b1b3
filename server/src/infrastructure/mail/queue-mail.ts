import type { Kysely } from "kysely";
import type { UnauditedTables, MailContent } from "../db/tables.ts";

interface QueuedMail {
  kind: "invitation" | "support" | "notice";
  email: string;
  content: MailContent;
  now: Date;
}

type MailJobs = Pick<Kysely<Pick<UnauditedTables, "mail_jobs">>, "insertInto">;

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
