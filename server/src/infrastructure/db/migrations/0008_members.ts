import { type Kysely, sql } from "kysely";

const ROLE = sql`text not null check (role in ('owner', 'administrator', 'auditor'))`;

export async function up(db: Kysely<unknown>): Promise<void> {
  // Whoever is here has made the organization.
  await sql`
    alter table users add column role text not null default 'owner'
      check (role in ('owner', 'administrator', 'auditor'))`.execute(db);
  await sql`alter table users alter column role drop default`.execute(db);
  await sql`create index users_organization on users (organization_id, created_at, id)`.execute(db);
  await sql`
    create table invitations (
      id text primary key,
      organization_id text not null references organizations on delete cascade,
      email text not null,
      role ${ROLE},
      created_at timestamptz not null,
      expires_at timestamptz not null,
      unique (organization_id, email)
    )`.execute(db);
  await sql`create index invitations_email on invitations (email)`.execute(db);
  await sql`alter table sessions add column address text, add column user_agent text`.execute(db);
  await sql`
    alter table api_keys
      add column previous_token_hash bytea unique,
      add column previous_expires_at timestamptz,
      add check ((previous_token_hash is null) = (previous_expires_at is null))`.execute(db);
  await mail(db);
  await singleSignOn(db);
  await members(db);
}

/** Mail that is no link says what it is to say. */
async function mail(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table mail_jobs
      drop constraint mail_jobs_kind_check,
      add constraint mail_jobs_kind_check check (kind in ('signIn', 'signUp', 'invitation', 'support')),
      add column content jsonb`.execute(db);
}

/** Everybody, by whichever door. */
async function members(db: Kysely<unknown>): Promise<void> {
  await sql`create index oidc_users_organization on oidc_users (organization_id, created_at, id)`.execute(db);
  await sql`create index invitations_organization on invitations (organization_id, created_at, id)`.execute(
    db,
  );
  await sql`
    create view members as
      select organization_id, id, 'user' as kind, email, role, created_at, null::timestamptz as expires_at
        from users
      union all
      select organization_id, id, 'oidcUser', email, role, created_at, null from oidc_users
      union all
      select organization_id, id, 'invitation', email, role, created_at, expires_at from invitations`.execute(
    db,
  );
}

async function singleSignOn(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table oidc_providers (
      organization_id text primary key references organizations on delete cascade,
      id text not null,
      name text not null,
      issuer_url text not null,
      client_id text not null,
      client_secret bytea not null,
      allowed_domains text[] not null,
      required_claim jsonb,
      auditor_claim jsonb,
      created_at timestamptz not null,
      modified_at timestamptz not null
    )`.execute(db);
  await sql`
    create table oidc_users (
      id text primary key,
      organization_id text not null references organizations on delete cascade,
      issuer text not null,
      subject text not null,
      email text not null,
      role ${ROLE},
      created_at timestamptz not null,
      signed_in_at timestamptz not null,
      unique (organization_id, issuer, subject),
      unique (organization_id, id)
    )`.execute(db);
  await sql`
    create table oidc_sessions (
      id text primary key,
      organization_id text not null,
      oidc_user_id text not null,
      token_hash bytea not null unique,
      created_at timestamptz not null,
      last_used_at timestamptz not null,
      expires_at timestamptz not null,
      foreign key (organization_id, oidc_user_id) references oidc_users (organization_id, id) on delete cascade
    )`.execute(db);
  await sql`create index oidc_sessions_user on oidc_sessions (oidc_user_id)`.execute(db);
  await sql`
    create table oidc_requests (
      token_hash bytea primary key,
      organization_id text not null references organizations on delete cascade,
      provider_id text not null,
      state text not null,
      nonce text not null,
      code_verifier text not null,
      expires_at timestamptz not null
    )`.execute(db);
  await sql`create index oidc_requests_expiry on oidc_requests (expires_at)`.execute(db);
}
