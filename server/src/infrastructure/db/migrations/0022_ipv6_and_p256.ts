import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await networks(db);
  await hosts(db);
  await freeAddresses(db);
  await accessChanges(db);
  await keys(db);
  await upgrades(db);
}

/** `cidr` and `next_address` are IPv4; a network with version 2 certificates may have none. */
async function networks(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table networks
      alter column cidr drop not null,
      alter column next_address drop not null,
      add column ipv6_cidr cidr check (family(ipv6_cidr) = 6),
      add column next_ipv6_address inet,
      add constraint networks_ipv4_check check (family(cidr) = 4 and (cidr is null) = (next_address is null)),
      add constraint networks_ipv6_check check ((ipv6_cidr is null) = (next_ipv6_address is null)),
      add constraint networks_families_check check (
        case cert_version when 1 then cidr is not null else ipv6_cidr is not null end),
      add constraint networks_ipv6_cidr_overlap
        exclude using gist (organization_id with =, ipv6_cidr inet_ops with &&)`.execute(db);
}

/** `ip_address` is the address that lists are sorted by: IPv4 if the host has one, otherwise IPv6. */
async function hosts(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table hosts
      add column ipv6_address inet check (family(ipv6_address) = 6),
      add constraint hosts_ipv6_address_unique unique (network_id, ipv6_address),
      add constraint hosts_ip_address_check check (family(ip_address) = 4 or ip_address = ipv6_address)`.execute(
    db,
  );
}

/** The older triggers do the same for IPv4: an IPv6 address is never below `next_address`. */
async function freeAddresses(db: Kysely<unknown>): Promise<void> {
  await addTrigger(
    db,
    "insert",
    `delete from free_addresses free using new_hosts
      where free.network_id = new_hosts.network_id and free.address = new_hosts.ipv6_address;`,
  );
  await addTrigger(
    db,
    "delete",
    `insert into free_addresses (network_id, address)
      select networks.id, old_hosts.ipv6_address
      from old_hosts join networks on networks.id = old_hosts.network_id
      where old_hosts.ipv6_address < networks.next_ipv6_address;`,
  );
}

async function addTrigger(db: Kysely<unknown>, event: "insert" | "delete", statement: string): Promise<void> {
  const name = sql.id(`hosts_ipv6_after_${event}`);
  const rows = event === "insert" ? sql`new table as new_hosts` : sql`old table as old_hosts`;
  await sql`
    create function ${name}() returns trigger language plpgsql
      as ${sql.lit(`begin ${statement} return null; end`)}`.execute(db);
  await sql`
    create trigger ${sql.id(`ipv6_after_${event}`)} after ${sql.raw(event)} on hosts
      referencing ${rows} for each statement execute function ${name}()`.execute(db);
}

/** The models of access contain the ranges of networks and the addresses of hosts. */
async function accessChanges(db: Kysely<unknown>): Promise<void> {
  await sql`
    create trigger log_access_address after update of ipv6_address on hosts for each row
      when (old.ipv6_address is distinct from new.ipv6_address)
      execute function log_access_change('host', 'id')`.execute(db);
  await sql`
    create trigger log_access_cidrs after update of cidr, ipv6_cidr on networks for each row
      when (old.cidr is distinct from new.cidr or old.ipv6_cidr is distinct from new.ipv6_cidr)
      execute function log_access_change('network', 'id')`.execute(db);
}

async function keys(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table signing_keys
      add column p256_public_key bytea,
      add column p256_private_key bytea,
      add constraint signing_keys_p256_check check ((p256_public_key is null) = (p256_private_key is null))`.execute(
    db,
  );
  await sql`alter table host_certificates add column other_fingerprint text`.execute(db);
}

/** While a network is upgraded, a host has a certificate of each version, which are stored in one row. */
async function upgrades(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table host_certificates
      add column second_ca_id text,
      add column second_fingerprint text,
      add column other_second_fingerprint text`.execute(db);
  await sql`
    create table network_upgrades (
      network_id text primary key,
      organization_id text not null,
      old_ca_id text not null,
      new_ca_id text,
      ipv6_cidr cidr not null,
      step text not null check (step in ('NEBULA', 'TRUST', 'BOTH', 'INITIATE', 'ONLY', 'DONE')),
      step_revision bigint not null,
      is_reverting boolean not null,
      is_forced boolean not null,
      started_at timestamptz not null,
      step_started_at timestamptz not null,
      foreign key (organization_id, network_id) references networks (organization_id, id) on delete cascade
    )`.execute(db);
}
