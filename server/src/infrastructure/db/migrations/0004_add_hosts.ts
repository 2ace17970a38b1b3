import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create extension if not exists pg_trgm`.execute(db);
  await changeOldTables(db);
  await tags(db);
  await hosts(db);
  await indexes(db);
  await satellites(db);
  await counting(db);
  await routes(db);
  await work(db);
}

async function changeOldTables(db: Kysely<unknown>): Promise<void> {
  // Every address below `next_address` is taken or in `free_addresses`.
  await sql`alter table networks add column next_address inet`.execute(db);
  await sql`update networks set next_address = set_masklen(network(cidr)::inet, 32) + 1`.execute(db);
  await sql`alter table networks alter column next_address set not null`.execute(db);
  await sql`alter table networks add column revision bigint not null default 0`.execute(db);
  await sql`alter table roles drop column host_count`.execute(db);
  await sql`
    create unique index certificate_authorities_signing on certificate_authorities (network_id)
      where state = 'SIGNING'`.execute(db);
  await sql`
    create index certificate_authorities_created on certificate_authorities (organization_id, created_at, id)
  `.execute(db);
}

async function tags(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table tags (
      organization_id text not null references organizations on delete cascade,
      name text not null,
      description text not null,
      priority integer not null,
      config_overrides jsonb not null,
      firewall_rules jsonb not null,
      created_at timestamptz not null,
      modified_at timestamptz not null,
      primary key (organization_id, name),
      constraint tags_priority_unique unique (organization_id, priority) deferrable initially deferred
    )`.execute(db);
}

async function hosts(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table hosts (
      id text primary key,
      organization_id text not null,
      network_id text not null,
      role_id text,
      endpoint_oidc_user_id text,
      has_endpoint_user boolean not null generated always as (endpoint_oidc_user_id is not null) stored,
      name text not null,
      name_key text collate "C" not null generated always as (lower(name)) stored,
      ip_address inet not null,
      static_addresses text[] not null,
      listen_port integer not null check (listen_port between 0 and 65535),
      is_lighthouse boolean not null,
      is_relay boolean not null,
      is_blocked boolean not null default false,
      tags text[] not null,
      config_overrides jsonb not null,
      search_text text not null,
      enrolled_at timestamptz,
      is_enrolled boolean not null generated always as (enrolled_at is not null) stored,
      is_online boolean not null default false,
      is_drifted boolean not null default false,
      agent_name text,
      agent_version text,
      ca_id text,
      certificate_expires_at timestamptz,
      created_at timestamptz not null,
      modified_at timestamptz not null,
      unique (organization_id, id),
      constraint hosts_name_unique unique (network_id, name_key),
      constraint hosts_ip_address_unique unique (network_id, ip_address),
      check (not (is_lighthouse and is_relay)),
      check (not is_online or (enrolled_at is not null and not is_blocked)),
      foreign key (organization_id, network_id) references networks (organization_id, id) on delete cascade,
      constraint hosts_role foreign key (organization_id, role_id) references roles (organization_id, id),
      foreign key (organization_id, network_id, ca_id)
        references certificate_authorities (organization_id, network_id, id)
    )`.execute(db);
}

/** One for each way a list can be walked: by every order, and through every filter in the order of creation. */
async function indexes(db: Kysely<unknown>): Promise<void> {
  await sql`create index hosts_by_creation on hosts (organization_id, created_at, id)`.execute(db);
  await sql`create index hosts_by_name on hosts (organization_id, name_key, id)`.execute(db);
  await sql`create index hosts_by_address on hosts (organization_id, ip_address, id)`.execute(db);
  await sql`create index hosts_of_network on hosts (network_id, created_at, id)`.execute(db);
  await sql`create index hosts_of_role on hosts (organization_id, role_id, created_at, id)`.execute(db);
  await sql`create index hosts_of_role_by_name on hosts (organization_id, role_id, name_key, id)`.execute(db);
  await sql`
    create index hosts_of_endpoint_user on hosts (organization_id, endpoint_oidc_user_id, created_at, id)
      where endpoint_oidc_user_id is not null`.execute(db);
  await sql`create index hosts_of_agent on hosts (organization_id, agent_name, agent_version)`.execute(db);
  await sql`create index hosts_of_ca on hosts (ca_id)`.execute(db);
  await sql`
    create index hosts_expiring on hosts (organization_id, certificate_expires_at)
      where certificate_expires_at is not null`.execute(db);
  const partial = {
    lighthouses: "is_lighthouse",
    relays: "is_relay",
    blocked: "is_blocked",
    with_role: "role_id is not null",
    never_enrolled: "not is_enrolled and not is_blocked",
    online: "is_online",
    offline: "is_enrolled and not is_online and not is_blocked",
    drifted: "is_drifted",
    of_endpoint_users: "has_endpoint_user",
  };
  for (const [name, condition] of Object.entries(partial))
    await sql`
      create index ${sql.id(`hosts_${name}`)} on hosts (organization_id, created_at, id)
        where ${sql.raw(condition)}`.execute(db);
  await sql`create index hosts_of_tags on hosts using gin (tags)`.execute(db);
  await sql`create index hosts_search on hosts using gin (search_text gin_trgm_ops)`.execute(db);
}

async function satellites(db: Kysely<unknown>): Promise<void> {
  // What a host's every poll writes stands apart from what the lists are indexed by.
  await sql`
    create table host_presence (
      host_id text primary key,
      organization_id text not null,
      network_id text not null,
      last_seen_at timestamptz not null default '-infinity',
      foreign key (organization_id, host_id) references hosts (organization_id, id) on delete cascade
    ) with (fillfactor = 70)`.execute(db);
  await sql`
    create index host_presence_seen on host_presence (organization_id, last_seen_at, host_id)`.execute(db);
  await sql`
    create index host_presence_of_network on host_presence (network_id, last_seen_at, host_id)`.execute(db);
  await sql`
    create table host_tags (
      organization_id text not null,
      host_id text not null,
      tag text not null,
      created_at timestamptz not null,
      name_key text collate "C" not null,
      primary key (host_id, tag),
      foreign key (organization_id, host_id) references hosts (organization_id, id) on delete cascade,
      constraint host_tags_tag foreign key (organization_id, tag) references tags (organization_id, name)
    )`.execute(db);
  await sql`
    create index host_tags_by_creation on host_tags (organization_id, tag, created_at, host_id)`.execute(db);
  await sql`
    create index host_tags_by_name on host_tags (organization_id, tag, name_key, host_id)`.execute(db);
  await sql`
    create table free_addresses (
      network_id text not null references networks on delete cascade,
      address inet not null,
      primary key (network_id, address)
    )`.execute(db);
  await sql`
    create table enrollment_codes (
      host_id text primary key,
      organization_id text not null,
      code_hash bytea not null unique,
      expires_at timestamptz not null,
      created_at timestamptz not null,
      foreign key (organization_id, host_id) references hosts (organization_id, id) on delete cascade
    )`.execute(db);
}

const CELL = [
  "organization_id",
  "tag",
  "network_id",
  "role_id",
  "is_lighthouse",
  "is_relay",
  "is_blocked",
  "is_enrolled",
  "is_online",
  "is_drifted",
  "has_endpoint_user",
  "agent_name",
  "agent_version",
];

/**
 * How many hosts there are of each kind, under every tag and under none (''), so that the exact count behind
 * a list is a sum over a few rows. Kept by triggers, once per statement: no writer can forget it. Writers hold
 * the network's row, so that two of them never wait for one another here.
 */
async function counting(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table host_counts (
      organization_id text not null,
      tag text not null,
      network_id text not null,
      role_id text,
      is_lighthouse boolean not null,
      is_relay boolean not null,
      is_blocked boolean not null,
      is_enrolled boolean not null,
      is_online boolean not null,
      is_drifted boolean not null,
      has_endpoint_user boolean not null,
      agent_name text,
      agent_version text,
      count integer not null
    )`.execute(db);
  await sql`
    create unique index host_counts_cell on host_counts (${sql.raw(CELL.join(", "))}) nulls not distinct
  `.execute(db);
  await sql`create index host_counts_empty on host_counts (organization_id) where count = 0`.execute(db);
  await follow(db, "insert", "select *, 1 as delta from new_hosts", ADDED);
  await follow(db, "delete", "select *, -1 as delta from old_hosts", REMOVED);
  await follow(
    db,
    "update",
    "select *, 1 as delta from new_hosts union all select *, -1 from old_hosts",
    RETAGGED,
  );
}

const ADDED = `
  insert into host_presence (host_id, organization_id, network_id)
    select id, organization_id, network_id from new_hosts;
  insert into host_tags (organization_id, host_id, tag, created_at, name_key)
    select organization_id, id, unnest(tags), created_at, name_key from new_hosts;
  delete from free_addresses free using new_hosts
    where free.network_id = new_hosts.network_id and free.address = new_hosts.ip_address;`;

const REMOVED = `
  insert into free_addresses (network_id, address)
    select networks.id, old_hosts.ip_address
    from old_hosts join networks on networks.id = old_hosts.network_id
    where old_hosts.ip_address < networks.next_address;`;

const RETAGGED = `
  delete from host_tags using new_hosts
    where host_tags.host_id = new_hosts.id and host_tags.tag <> all (new_hosts.tags);
  insert into host_tags (organization_id, host_id, tag, created_at, name_key)
    select organization_id, id, unnest(tags), created_at, name_key from new_hosts on conflict do nothing;
  update host_tags set name_key = new_hosts.name_key from new_hosts
    where host_tags.host_id = new_hosts.id and host_tags.name_key <> new_hosts.name_key;`;

async function follow(
  db: Kysely<unknown>,
  event: "insert" | "delete" | "update",
  changes: string,
  then: string,
): Promise<void> {
  const cell = CELL.join(", ");
  const tables = { insert: ["new"], delete: ["old"], update: ["new", "old"] }[event];
  const body = `
    begin
      with changes as (${changes}), cells as (
        select changes.*, under.tag
        from changes cross join lateral (select '' as tag union all select unnest(tags)) under
      )
      insert into host_counts as counted (${cell}, count)
        select ${cell}, sum(delta) from cells group by ${cell} having sum(delta) <> 0
        on conflict (${cell}) do update set count = counted.count + excluded.count;
      delete from host_counts where count = 0 and organization_id in (${changes
        .split(" union all ")
        .map((part) => part.replace(/\*, -?1( as delta)?/, "organization_id"))
        .join(" union ")});
      with moved as (
        select network_id, sum(delta) as delta from (${changes}) changes group by 1 having sum(delta) <> 0
      )
      update networks set host_count = host_count + moved.delta
        from moved where networks.id = moved.network_id;
      ${then}
      return null;
    end`;
  await sql`
    create function ${sql.id(`hosts_after_${event}`)}() returns trigger language plpgsql
      as ${sql.lit(body)}`.execute(db);
  await sql`
    create trigger ${sql.id(`after_${event}`)} after ${sql.raw(event)} on hosts
      referencing ${sql.raw(tables.map((one) => `${one} table as ${one}_hosts`).join(" "))}
      for each statement execute function ${sql.id(`hosts_after_${event}`)}()`.execute(db);
}

async function routes(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table routes (
      id text primary key,
      organization_id text not null references organizations on delete cascade,
      name text not null,
      description text not null,
      router_host_id text,
      routable_cidrs jsonb not null,
      firewall_rules jsonb not null,
      created_at timestamptz not null,
      modified_at timestamptz not null,
      unique (organization_id, id),
      constraint routes_router_host foreign key (organization_id, router_host_id)
        references hosts (organization_id, id)
    )`.execute(db);
  await sql`create unique index routes_name_unique on routes (organization_id, lower(name))`.execute(db);
  await sql`create index routes_created on routes (organization_id, created_at, id)`.execute(db);
  await sql`create index routes_of_host on routes (router_host_id)`.execute(db);
  await sql`
    create table route_subscriptions (
      organization_id text not null,
      tag text not null,
      route_id text not null,
      primary key (organization_id, tag, route_id),
      foreign key (organization_id, tag) references tags (organization_id, name) on delete cascade,
      foreign key (organization_id, route_id) references routes (organization_id, id) on delete cascade
    )`.execute(db);
  await sql`create index route_subscriptions_of_route on route_subscriptions (route_id)`.execute(db);
  for (const table of ["roles", "tags", "routes"])
    await sql`
      create index ${sql.id(`${table}_rules`)} on ${sql.table(table)}
        using gin (firewall_rules jsonb_path_ops)`.execute(db);
}

async function work(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table jobs (
      id text primary key,
      organization_id text not null references organizations on delete cascade,
      actor jsonb not null,
      action jsonb not null,
      state text not null check (state in ('pending', 'running', 'done')),
      done integer not null,
      total integer not null,
      errors jsonb not null,
      created_at timestamptz not null,
      finished_at timestamptz
    )`.execute(db);
  await sql`create index jobs_open on jobs (created_at) where state <> 'done'`.execute(db);
  await sql`
    create table job_items (
      job_id text not null references jobs on delete cascade,
      item text not null,
      primary key (job_id, item)
    )`.execute(db);
  await sql`
    create table import_plans (
      token_hash bytea primary key,
      organization_id text not null references organizations on delete cascade,
      request jsonb not null,
      plan jsonb not null,
      expires_at timestamptz not null
    )`.execute(db);
}
