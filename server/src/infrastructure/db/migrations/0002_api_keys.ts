import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table api_keys (
      id text primary key,
      organization_id text not null references organizations on delete cascade,
      name text not null,
      scopes text[] not null,
      token_hash bytea not null unique,
      expires_at timestamptz,
      last_used_at timestamptz,
      created_at timestamptz not null,
      unique (organization_id, id)
    )`.execute(db);
  await sql`create index api_keys_created on api_keys (organization_id, created_at, id)`.execute(db);
}
