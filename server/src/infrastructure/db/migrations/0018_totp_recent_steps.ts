import { type Kysely, sql } from "kysely";

/** The newest used step alone cannot tell whether a code was used once the clock has been set back. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table totp_authenticators
      add column recent_steps integer[] not null default '{}'`.execute(db);
}
