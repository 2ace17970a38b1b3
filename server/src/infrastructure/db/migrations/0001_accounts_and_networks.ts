import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create extension if not exists btree_gist`.execute(db);
  await accounts(db);
  await networks(db);
  await audit(db);
}

async function accounts(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table organizations (
      id text primary key,
      name text not null,
      plan text not null check (plan in ('free', 'pro', 'selfHosted')),
      wanted_plan text check (wanted_plan in ('pro')),
      created_at timestamptz not null
    )`.execute(db);
  await sql`
    create table users (
      id text primary key,
      organization_id text not null references organizations on delete cascade,
      email text not null,
      created_at timestamptz not null,
      constraint users_email_unique unique (email),
      unique (organization_id, id)
    )`.execute(db);
  await sql`
    create table sessions (
      id text primary key,
      organization_id text not null,
      user_id text not null,
      token_hash bytea not null unique,
      created_at timestamptz not null,
      last_used_at timestamptz not null,
      expires_at timestamptz not null,
      foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
    )`.execute(db);
  await sql`create index sessions_user on sessions (user_id)`.execute(db);
  await sql`
    create table auth_tokens (
      token_hash bytea primary key,
      session_id text not null references sessions on delete cascade,
      authenticated_at timestamptz not null,
      expires_at timestamptz not null
    )`.execute(db);
  await sql`create index auth_tokens_session on auth_tokens (session_id)`.execute(db);
  await sql`
    create table magic_links (
      token_hash bytea primary key,
      email text not null,
      purpose text not null check (purpose in ('signIn', 'signUp')),
      plan text check (plan in ('pro')),
      expires_at timestamptz not null
    )`.execute(db);
  await sql`create index magic_links_email on magic_links (email)`.execute(db);
  await sql`
    create table mail_jobs (
      id bigint generated always as identity primary key,
      kind text not null check (kind in ('signIn', 'signUp')),
      email text not null,
      plan text check (plan in ('pro')),
      attempts integer not null default 0,
      next_attempt_at timestamptz not null,
      created_at timestamptz not null
    )`.execute(db);
  await sql`create index mail_jobs_next_attempt on mail_jobs (next_attempt_at)`.execute(db);
  await sql`
    create table totp_authenticators (
      id text primary key,
      organization_id text not null,
      user_id text not null,
      name text not null,
      secret bytea not null,
      last_used_step bigint not null,
      last_used_at timestamptz,
      created_at timestamptz not null,
      foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
    )`.execute(db);
  await sql`create index totp_authenticators_user on totp_authenticators (user_id)`.execute(db);
  await sql`
    create table totp_setups (
      token_hash bytea primary key,
      id text not null,
      organization_id text not null,
      user_id text not null,
      name text not null,
      secret bytea not null,
      expires_at timestamptz not null,
      foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
    )`.execute(db);
  await sql`create index totp_setups_user on totp_setups (user_id)`.execute(db);
  await sql`
    create table feature_flags (
      organization_id text not null references organizations on delete cascade,
      name text not null,
      value boolean not null,
      primary key (organization_id, name)
    )`.execute(db);
  await sql`
    create table rate_limits (
      key text primary key,
      hits timestamptz[] not null,
      latest text not null
    )`.execute(db);
}

async function networks(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table roles (
      id text primary key,
      organization_id text not null references organizations on delete cascade,
      name text not null,
      description text not null,
      firewall_rules jsonb not null,
      created_at timestamptz not null,
      modified_at timestamptz not null,
      unique (organization_id, id)
    )`.execute(db);
  await sql`create unique index roles_name_unique on roles (organization_id, lower(name))`.execute(db);
  await sql`
    create table networks (
      id text primary key,
      organization_id text not null references organizations on delete cascade,
      name text not null,
      description text not null,
      cidr cidr not null,
      curve text not null check (curve in ('25519', 'P256')),
      cert_version integer not null check (cert_version in (1, 2)),
      signing_ca_id text not null,
      lighthouses_as_relays boolean not null,
      disable_managed_lighthouses boolean not null,
      host_count integer not null default 0 check (host_count >= 0),
      created_at timestamptz not null,
      unique (organization_id, id),
      constraint networks_cidr_overlap
        exclude using gist (organization_id with =, cidr inet_ops with &&)
    )`.execute(db);
  await sql`create unique index networks_name_unique on networks (organization_id, lower(name))`.execute(db);
  await sql`create index networks_created on networks (organization_id, created_at, id)`.execute(db);
  await sql`
    create table certificate_authorities (
      id text primary key,
      organization_id text not null,
      network_id text not null,
      name text not null,
      state text not null check (state in ('PENDING', 'SIGNING', 'TRUSTED', 'RETIRED')),
      curve text not null check (curve in ('25519', 'P256')),
      cert_version integer not null check (cert_version in (1, 2)),
      certificate text not null,
      fingerprint text not null unique,
      private_key bytea not null,
      not_before timestamptz not null,
      not_after timestamptz not null,
      created_at timestamptz not null,
      unique (organization_id, network_id, id),
      foreign key (organization_id, network_id) references networks (organization_id, id) on delete cascade
    )`.execute(db);
  await sql`
    alter table networks add constraint networks_signing_ca
      foreign key (organization_id, id, signing_ca_id)
      references certificate_authorities (organization_id, network_id, id)
      deferrable initially deferred`.execute(db);
}

/** The log outlives what it tells of, the organization included: nothing here refers to another table. */
async function audit(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table audit_logs (
      id text primary key,
      organization_id text not null,
      created_at timestamptz not null default clock_timestamp(),
      actor jsonb not null,
      target_type text not null,
      target_id text not null,
      event_type text not null,
      before jsonb,
      after jsonb,
      sequence bigint,
      hash bytea
    )`.execute(db);
  await sql`create index audit_logs_newest on audit_logs (organization_id, created_at, id)`.execute(db);
  await sql`
    create index audit_logs_target on audit_logs (organization_id, target_type, target_id, created_at, id)
  `.execute(db);
  await sql`create index audit_logs_unsealed on audit_logs (created_at, id) where sequence is null`.execute(
    db,
  );
  await sql`
    create unique index audit_logs_sequence on audit_logs (organization_id, sequence) where sequence is not null
  `.execute(db);
  await sql`
    create table audit_heads (
      organization_id text primary key,
      sequence bigint not null,
      hash bytea not null
    )`.execute(db);
}
