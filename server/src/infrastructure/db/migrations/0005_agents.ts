import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await identities(db);
  await conversations(db);
  await commands(db);
  await rotations(db);
}

async function identities(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table signing_keys (
      organization_id text primary key references organizations on delete cascade,
      public_key bytea not null,
      private_key bytea not null,
      created_at timestamptz not null
    )`.execute(db);
  // Outlives its host, so that it stays on the blocklist until it expires.
  await sql`
    create table host_certificates (
      fingerprint text primary key,
      organization_id text not null,
      network_id text not null,
      ca_id text not null,
      host_id text not null,
      public_key bytea not null,
      identity_hash text not null,
      not_before timestamptz not null,
      not_after timestamptz not null,
      superseded_at timestamptz,
      revoked_at timestamptz,
      foreign key (organization_id, network_id, ca_id)
        references certificate_authorities (organization_id, network_id, id) on delete cascade
    )`.execute(db);
  await sql`create index host_certificates_of_host on host_certificates (host_id)`.execute(db);
  await sql`create index host_certificates_of_ca on host_certificates (ca_id)`.execute(db);
  await sql`create index host_certificates_ending on host_certificates (not_after)`.execute(db);
  await sql`
    create index host_certificates_revoked on host_certificates (network_id)
      where revoked_at is not null`.execute(db);
  // The one in use, and the one that was sent last until it is in use.
  await sql`
    create table host_credentials (
      host_id text not null,
      counter integer not null,
      organization_id text not null,
      signing_key bytea not null,
      certificate text not null,
      config_hash text not null,
      sent_hash text not null,
      sent_kind text not null check (sent_kind in ('config', 'certificate')),
      sent_at timestamptz not null,
      revision bigint not null,
      primary key (host_id, counter),
      foreign key (organization_id, host_id) references hosts (organization_id, id) on delete cascade
    ) with (fillfactor = 80)`.execute(db);
  await sql`create index host_credentials_certificate on host_credentials (certificate)`.execute(db);
}

async function conversations(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table host_reports (
      host_id text primary key,
      organization_id text not null,
      config_hash text not null,
      nebula_version text,
      applied_at timestamptz,
      error text,
      tunnels jsonb not null,
      reported_at timestamptz not null,
      foreign key (organization_id, host_id) references hosts (organization_id, id) on delete cascade
    ) with (fillfactor = 70)`.execute(db);
  // Worth a few minutes: what a crash of the database takes with it is outside the window soon.
  await sql`
    create unlogged table seen_signatures (
      signature_hash bytea primary key,
      seen_at timestamptz not null
    )`.execute(db);
  await sql`create index seen_signatures_old on seen_signatures (seen_at)`.execute(db);
  await sql`
    create table endpoint_auth_requests (
      poll_token_hash bytea primary key,
      login_token_hash bytea not null unique,
      state text not null check (state in ('WAITING', 'STARTED', 'COMPLETED')),
      expires_at timestamptz not null
    )`.execute(db);
}

async function commands(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table host_commands (
      token text primary key,
      organization_id text not null,
      host_id text not null,
      action jsonb not null,
      state text not null check (state in ('queued', 'sent', 'streaming', 'done')),
      response jsonb,
      created_at timestamptz not null,
      foreign key (organization_id, host_id) references hosts (organization_id, id) on delete cascade
    )`.execute(db);
  await sql`
    create index host_commands_queued on host_commands (host_id, created_at) where state = 'queued'`.execute(
    db,
  );
  await sql`
    create table host_command_chunks (
      token text not null references host_commands on delete cascade,
      sequence integer not null,
      bytes bytea not null,
      primary key (token, sequence)
    )`.execute(db);
}

async function rotations(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table ca_rotations (
      network_id text primary key,
      organization_id text not null,
      old_ca_id text not null,
      new_ca_id text not null,
      step text not null check (step in ('TRUST', 'REISSUE', 'DONE')),
      step_revision bigint not null,
      is_forced boolean not null,
      started_at timestamptz not null,
      step_started_at timestamptz not null,
      foreign key (organization_id, network_id) references networks (organization_id, id) on delete cascade
    )`.execute(db);
  await sql`create index ca_rotations_open on ca_rotations (network_id) where step <> 'DONE'`.execute(db);
}
