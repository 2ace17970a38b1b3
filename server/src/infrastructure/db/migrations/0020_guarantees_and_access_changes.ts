import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await guarantees(db);
  await accessChanges(db);
  await followHosts(db);
  await followOtherTables(db);
  await accessDiffs(db);
}

/** An entry has the numbers, which its hash covers; what was opened and closed is stored once for all entries of a change. */
async function accessDiffs(db: Kysely<unknown>): Promise<void> {
  await sql`alter table audit_logs add column access_diff jsonb`.execute(db);
  await sql`
    create table access_diffs (
      id text primary key,
      organization_id text not null references organizations on delete cascade,
      opened jsonb not null,
      closed jsonb not null,
      affected_hosts jsonb not null
    )`.execute(db);
}

/** A guarantee may refer to a role, tag, host or network that was deleted: then it matches no hosts. */
async function guarantees(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table guarantees (
      id text primary key,
      organization_id text not null references organizations on delete cascade,
      type text not null check (type in ('MUST_REACH', 'MUST_NEVER_REACH')),
      source jsonb not null,
      destination jsonb not null,
      protocol text not null,
      port_range jsonb,
      network_id text,
      description text not null,
      suspended_until timestamptz,
      suspension_reason text,
      failing_since timestamptz,
      created_at timestamptz not null,
      modified_at timestamptz not null,
      check ((suspended_until is null) = (suspension_reason is null))
    )`.execute(db);
  await sql`create index guarantees_of_organization on guarantees (organization_id, created_at, id)`.execute(
    db,
  );
}

/**
 * Every change of what decides who reaches whom, so that a process can update what it keeps in memory. A transaction
 * that is still running has an ID that is not below the oldest running one, so no change is missed, whatever the order
 * of the commits.
 */
async function accessChanges(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table access_changes (
      organization_id text not null,
      kind text not null,
      key text not null,
      transaction_id xid8 not null default pg_current_xact_id(),
      created_at timestamptz not null default now()
    )`.execute(db);
  await sql`
    create index access_changes_of_organization on access_changes (organization_id, transaction_id)`.execute(
    db,
  );
  await sql`
    create function log_access_change() returns trigger language plpgsql as ${sql.lit(`
    declare
      changed jsonb := to_jsonb(case when tg_op = 'DELETE' then old else new end);
    begin
      if tg_op = 'DELETE' and not exists (select from organizations where id = changed ->> 'organization_id') then
        return null;
      end if;
      insert into access_changes (organization_id, kind, key)
        values (changed ->> 'organization_id', tg_argv[0], changed ->> tg_argv[1]);
      return null;
    end`)}`.execute(db);
  // What is deleted together with the organization is no longer logged then.
  await sql`
    create function delete_access_changes() returns trigger language plpgsql as ${sql.lit(`
    begin
      delete from access_changes where organization_id = old.id;
      return null;
    end`)}`.execute(db);
  await sql`
    create trigger delete_access_changes after delete on organizations
      for each row execute function delete_access_changes()`.execute(db);
}

const HOST_COLUMNS = [
  "name",
  "role_id",
  "tags",
  "is_blocked",
  "enrolled_at",
  "ca_id",
  "certificate_expires_at",
];

/** Updates of other columns, such as the frequent ones of the status, cost nothing. */
async function followHosts(db: Kysely<unknown>): Promise<void> {
  for (const [event, table] of [
    ["insert", "new"],
    ["delete", "old"],
  ] as const) {
    const name = sql.id(`log_access_${event}`);
    await sql`
      create function ${name}() returns trigger language plpgsql as ${sql.lit(`
      begin
        insert into access_changes (organization_id, kind, key)
          select organization_id, 'host', id from changed_hosts;
        return null;
      end`)}`.execute(db);
    await sql`
      create trigger ${name} after ${sql.raw(event)} on hosts
        referencing ${sql.raw(table)} table as changed_hosts
        for each statement execute function ${name}()`.execute(db);
  }
  const differs = HOST_COLUMNS.map((column) => `old.${column} is distinct from new.${column}`).join(" or ");
  await sql`
    create trigger log_access_update after update of ${sql.raw(HOST_COLUMNS.join(", "))} on hosts
      for each row when (${sql.raw(differs)})
      execute function log_access_change('host', 'id')`.execute(db);
  await sql`
    create trigger log_access_insert after insert on host_reports
      for each row when (new.nebula_version is not null)
      execute function log_access_change('host', 'host_id')`.execute(db);
  await sql`
    create trigger log_access_update after update of nebula_version on host_reports
      for each row when (old.nebula_version is distinct from new.nebula_version)
      execute function log_access_change('host', 'host_id')`.execute(db);
}

async function followOtherTables(db: Kysely<unknown>): Promise<void> {
  for (const [table, kind, key] of [
    ["networks", "network", "id"],
    ["certificate_authorities", "network", "network_id"],
    ["roles", "role", "id"],
    ["tags", "tag", "name"],
    ["route_subscriptions", "tag", "tag"],
    ["routes", "route", "id"],
    ["guarantees", "guarantee", "id"],
  ] as const) {
    // A network is updated with every change in it, of which only its name matters here.
    const event = table === "networks" ? "insert or delete or update of name" : "insert or update or delete";
    await sql`
      create trigger log_access_change after ${sql.raw(event)} on ${sql.table(table)}
        for each row execute function log_access_change(${sql.lit(kind)}, ${sql.lit(key)})`.execute(db);
  }
}
