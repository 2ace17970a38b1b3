import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await admission(db);
  await domains(db);
  await deviceRequests(db);
}

/** Existing providers keep admitting the people they admitted before; new rows name both values. */
async function admission(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table oidc_providers
      add column trusts_emails boolean not null default true,
      add column default_role text not null default 'administrator'
        check (default_role in ('administrator', 'auditor')),
      add column endpoint_requires_approval boolean not null default false`.execute(db);
  await sql`
    alter table oidc_providers
      alter column trusts_emails drop default,
      alter column default_role drop default`.execute(db);
  await sql`alter table oidc_users add column removed_at timestamptz`.execute(db);
}

/** Any number of organizations can claim a domain; one can have it verified. */
async function domains(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table organization_domains (
      organization_id text not null references organizations on delete cascade,
      domain text not null,
      token text not null,
      created_at timestamptz not null,
      verified_at timestamptz,
      primary key (organization_id, domain)
    )`.execute(db);
  await sql`
    create unique index organization_domains_verified on organization_domains (domain)
      where verified_at is not null`.execute(db);
  await sql`drop index oidc_providers_domains`.execute(db);
}

/** Devices that wait for an administrator. A device request is removed with the sign-in that it belongs to. */
async function deviceRequests(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table endpoint_auth_requests
      add column verification_code text not null default '',
      drop constraint endpoint_auth_requests_state_check,
      add constraint endpoint_auth_requests_state_check
        check (state in ('WAITING', 'STARTED', 'PENDING_APPROVAL', 'REJECTED', 'COMPLETED'))`.execute(db);
  await sql`
    create table device_requests (
      id text primary key,
      organization_id text not null references organizations on delete cascade,
      poll_token_hash bytea not null unique references endpoint_auth_requests on delete cascade,
      issuer text not null,
      subject text not null,
      email text not null,
      address text not null,
      created_at timestamptz not null,
      expires_at timestamptz not null
    )`.execute(db);
  await sql`
    create index device_requests_organization on device_requests (organization_id, created_at, id)`.execute(
    db,
  );
}
