import { type Kysely, sql } from "kysely";

/** Used codes stay until new ones are generated, so that it is known whether a user ever had codes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table recovery_codes (
      organization_id text not null,
      user_id text not null,
      code_hash bytea not null,
      created_at timestamptz not null,
      used_at timestamptz,
      primary key (user_id, code_hash),
      foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
    )`.execute(db);
}
