import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await channels(db);
  await rules(db);
  await states(db);
  await deliveries(db);
}

/** URLs and secrets are encrypted: whoever has one can send messages in the name of the server. */
async function channels(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table notification_channels (
      id text primary key,
      organization_id text not null references organizations on delete cascade,
      type text not null check (type in ('EMAIL', 'WEBHOOK', 'SLACK', 'TEAMS', 'AUDIT_STREAM')),
      name text not null,
      is_enabled boolean not null,
      addresses text[] not null,
      url bytea,
      secret bytea,
      previous_secret bytea,
      previous_secret_expires_at timestamptz,
      stream_after bigint,
      created_at timestamptz not null,
      modified_at timestamptz not null,
      check ((type = 'EMAIL') = (url is null)),
      check ((type in ('WEBHOOK', 'AUDIT_STREAM')) = (secret is not null)),
      check ((type = 'AUDIT_STREAM') = (stream_after is not null)),
      check ((previous_secret is null) = (previous_secret_expires_at is null))
    )`.execute(db);
  await sql`
    create index notification_channels_of_organization
      on notification_channels (organization_id, created_at, id)`.execute(db);
}

/** A rule may refer to a role or tag that was deleted: then it matches no hosts. */
async function rules(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table notification_rules (
      id text primary key,
      organization_id text not null references organizations on delete cascade,
      event_type text not null,
      is_enabled boolean not null,
      tags text[] not null,
      role_ids text[] not null,
      threshold_minutes integer,
      days integer,
      channel_ids text[] not null,
      quiet_hours jsonb,
      digest text not null check (digest in ('NONE', 'HOURLY', 'DAILY')),
      time_zone text not null,
      active_from timestamptz not null,
      active_after bigint not null,
      created_at timestamptz not null,
      modified_at timestamptz not null
    )`.execute(db);
  await sql`
    create index notification_rules_of_organization
      on notification_rules (organization_id, created_at, id)`.execute(db);
}

/** What the server has already noticed, so that each event is reported once. */
async function states(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table notification_cursors (
      organization_id text primary key references organizations on delete cascade,
      audit_sequence bigint not null
    )`.execute(db);
  await sql`
    create table notification_rule_states (
      rule_id text primary key references notification_rules on delete cascade,
      active_from timestamptz not null,
      checked_until timestamptz not null,
      checked_at timestamptz not null,
      resumed_at timestamptz not null
    )`.execute(db);
  await sql`
    create table notification_subjects (
      rule_id text not null references notification_rules on delete cascade,
      subject_id text not null,
      since timestamptz not null,
      report_at timestamptz not null,
      reported_at timestamptz,
      resolved_at timestamptz,
      primary key (rule_id, subject_id)
    )`.execute(db);
  await sql`
    create table notification_events (
      id bigint generated always as identity primary key,
      organization_id text not null references organizations on delete cascade,
      rule_id text not null references notification_rules on delete cascade,
      due_at timestamptz not null,
      count integer not null,
      items jsonb not null
    )`.execute(db);
  await sql`create index notification_events_due on notification_events (due_at)`.execute(db);
  await sql`create index notification_events_of_rule on notification_events (rule_id, id)`.execute(db);
}

/** `body` is null for parts of the audit log, which are read when they are sent. */
async function deliveries(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table notification_channel_states (
      channel_id text primary key references notification_channels on delete cascade,
      failing_since timestamptz,
      audit_sequence bigint
    )`.execute(db);
  await sql`
    create table notification_deliveries (
      id text primary key,
      organization_id text not null references organizations on delete cascade,
      channel_id text not null references notification_channels on delete cascade,
      rule_id text,
      type text not null,
      title text not null,
      body text,
      first_sequence bigint,
      last_sequence bigint,
      state text not null check (state in ('PENDING', 'DELIVERED', 'FAILED')),
      attempts integer not null,
      request_headers jsonb,
      response jsonb,
      created_at timestamptz not null,
      next_attempt_at timestamptz,
      expires_at timestamptz,
      finished_at timestamptz,
      check ((body is null) = (first_sequence is not null and last_sequence is not null)),
      check ((state = 'PENDING') = (next_attempt_at is not null))
    )`.execute(db);
  await sql`
    create index notification_deliveries_of_channel
      on notification_deliveries (channel_id, created_at, id)`.execute(db);
  await sql`
    create unique index notification_deliveries_batch
      on notification_deliveries (channel_id, first_sequence) where first_sequence is not null`.execute(db);
  await sql`
    create index notification_deliveries_pending
      on notification_deliveries (next_attempt_at) where state = 'PENDING'`.execute(db);
}
