import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table roles add column host_count integer not null default 0 check (host_count >= 0)`.execute(
    db,
  );
  await sql`create index roles_created on roles (organization_id, created_at, id)`.execute(db);
}
