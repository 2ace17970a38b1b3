import { type Kysely, sql } from "kysely";

/** Mail that tells people about security-relevant changes to their account. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table mail_jobs
      drop constraint mail_jobs_kind_check,
      add constraint mail_jobs_kind_check
        check (kind in ('signIn', 'signUp', 'invitation', 'support', 'notice'))`.execute(db);
}
