import { type Kysely, sql } from "kysely";

/** Both are snapshots without a foreign key: they stay when the person is removed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table invitations
      add column invited_by_id text,
      add column invited_by_email text,
      add check ((invited_by_id is null) = (invited_by_email is null))`.execute(db);
  await sql`
    create or replace view members as
      select organization_id, id, 'user' as kind, email, role, created_at, null::timestamptz as expires_at,
          null::text as invited_by_email
        from users
      union all
      select organization_id, id, 'oidcUser', email, role, created_at, null, null from oidc_users
      union all
      select organization_id, id, 'invitation', email, role, created_at, expires_at, invited_by_email
        from invitations`.execute(db);
  await sql`
    alter table api_keys
      add column created_by_id text,
      add column created_by_email text,
      add check ((created_by_id is null) = (created_by_email is null))`.execute(db);
  await sql`create index api_keys_creator on api_keys (organization_id, created_by_id)`.execute(db);
}
