/** Plans keep the parsed items instead of the file, so that applying a plan parses nothing. */
import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  // Plans live for an hour, and those from before contain no parsed items.
  await sql`delete from import_plans`.execute(db);
  await sql`alter table import_plans rename column request to things`.execute(db);
}
