import { type Kysely, sql } from "kysely";

/** Limits may count over days instead of 15 minutes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table rate_limits add column window_seconds integer not null default 900`.execute(db);
}
