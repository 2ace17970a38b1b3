import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
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
