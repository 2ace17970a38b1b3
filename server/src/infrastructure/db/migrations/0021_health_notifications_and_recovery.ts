import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await hostDetails(db);
  await notifications(db);
  await recoveryCodes(db);
  await coverExpiringHosts(db);
}

async function hostDetails(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table hosts
      add column description text not null default '',
      add column owner text not null default ''`.execute(db);
  await sql`alter table host_reports add column system jsonb`.execute(db);
  await traffic(db);
  await revisions(db);
  await blocks(db);
}

/** One row per host, of constant size: a ring of 96 buckets of 15 minutes, indexed by time. */
async function traffic(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table host_traffic (
      host_id text primary key,
      organization_id text not null,
      received bigint[] not null check (array_length(received, 1) = 96),
      sent bigint[] not null check (array_length(sent, 1) = 96),
      newest_bucket bigint not null,
      received_counter bigint not null,
      sent_counter bigint not null,
      reported_at timestamptz not null,
      foreign key (organization_id, host_id) references hosts (organization_id, id) on delete cascade
    ) with (fillfactor = 50)`.execute(db);
}

/** A table of its own, so that the hosts that wait for a revision are found without reading all credentials and reports. */
async function revisions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table host_revisions (
      host_id text primary key,
      organization_id text not null,
      network_id text not null,
      revision bigint not null,
      reached_at timestamptz not null,
      foreign key (organization_id, host_id) references hosts (organization_id, id) on delete cascade
    ) with (fillfactor = 80)`.execute(db);
  await sql`
    create index host_revisions_of_network on host_revisions (network_id, revision) include (host_id)`.execute(
    db,
  );
  // A host that reports an error or another configuration is known to run none of the stored revisions.
  await sql`
    insert into host_revisions (host_id, organization_id, network_id, revision, reached_at)
      select hosts.id, hosts.organization_id, hosts.network_id,
          case when report.host_id is null or (report.config_hash = used.sent_hash and report.error is null)
            then used.revision else 0 end,
          coalesce(report.reported_at, used.sent_at)
        from hosts
        join lateral (
          select sent_hash, sent_at, revision from host_credentials
            where host_credentials.host_id = hosts.id order by counter limit 1) used on true
        left join host_reports report on report.host_id = hosts.id
        where not hosts.is_blocked`.execute(db);
}

/** The block of each blocked host that had a certificate. */
async function blocks(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table host_blocks (
      host_id text primary key,
      organization_id text not null,
      network_id text not null,
      revision bigint not null,
      blocked_at timestamptz not null,
      host_count integer not null,
      peer_ids text[] not null,
      half_acknowledged_at timestamptz,
      completed_at timestamptz,
      foreign key (organization_id, host_id) references hosts (organization_id, id) on delete cascade
    )`.execute(db);
  await sql`
    create index host_blocks_open on host_blocks (organization_id, network_id) where completed_at is null`.execute(
    db,
  );
}

async function notifications(db: Kysely<unknown>): Promise<void> {
  await channels(db);
  await rules(db);
  await notificationStates(db);
  await deliveries(db);
}

/** URLs and secrets are encrypted: anyone who has one can send messages in the server's name. */
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
async function notificationStates(db: Kysely<unknown>): Promise<void> {
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

/** Used codes stay until new ones are generated, so that it is known whether a user ever had codes. */
async function recoveryCodes(db: Kysely<unknown>): Promise<void> {
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

/** With the columns that the count of expiring certificates needs, so that it doesn't read the hosts themselves. */
async function coverExpiringHosts(db: Kysely<unknown>): Promise<void> {
  await sql`drop index hosts_expiring`.execute(db);
  await sql`
    create index hosts_expiring on hosts (organization_id, certificate_expires_at)
      include (network_id, is_blocked, is_lighthouse, is_relay, has_endpoint_user)
      where certificate_expires_at is not null`.execute(db);
}
