import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table routes add column accept_wider_rules boolean not null default false`.execute(db);
  // What the certificate lets its host do; unknown of those issued before.
  await sql`
    alter table host_certificates
      add column groups text[],
      add column unsafe_networks text[],
      add column revoke_after timestamptz`.execute(db);
  await sql`
    create index host_certificates_to_revoke on host_certificates (revoke_after)
      where revoke_after is not null and revoked_at is null`.execute(db);
}
