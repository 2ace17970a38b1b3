import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table host_credentials add column config text, add column nebula_version text`.execute(db);
}
