import { type Kysely, sql } from "kysely";

const CELL = [
  "organization_id",
  "tags_hash",
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
].join(", ");

/** Hosts with two or more tags. The index contains a hash of the tags, because 50 tags are too long for it. */
const withSeveralTags = (hosts: string) =>
  `select *, sha256(convert_to(tags::text, 'UTF8')) as tags_hash from (${hosts}) hosts where cardinality(tags) > 1`;

/**
 * How many hosts with two or more tags there are of each kind: what `host_counts` is for one tag. Few hosts have a
 * set of tags that no other host has, so that the exact count behind a list is a sum over a few rows.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table host_tag_set_counts (
      organization_id text not null,
      tags text[] not null,
      tags_hash bytea not null,
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
    create unique index host_tag_set_counts_cell on host_tag_set_counts (${sql.raw(CELL)})
      nulls not distinct`.execute(db);
  await sql`create index host_tag_set_counts_of_tags on host_tag_set_counts using gin (tags)`.execute(db);
  await sql`
    create index host_tag_set_counts_empty on host_tag_set_counts (organization_id) where count = 0`.execute(
    db,
  );
  // Creating a trigger waits for transactions that change hosts. Later ones wait until all hosts are counted.
  await follow(db, "insert", "select *, 1 as delta from new_hosts");
  await follow(db, "delete", "select *, -1 as delta from old_hosts");
  await follow(
    db,
    "update",
    "select *, 1 as delta from new_hosts union all select *, -1 as delta from old_hosts",
  );
  await sql`
    insert into host_tag_set_counts (tags, ${sql.raw(CELL)}, count)
      select tags, ${sql.raw(CELL)}, count(*) from (${sql.raw(withSeveralTags("select * from hosts"))}) hosts
      group by tags, ${sql.raw(CELL)}`.execute(db);
}

async function follow(
  db: Kysely<unknown>,
  event: "insert" | "delete" | "update",
  changes: string,
): Promise<void> {
  const tables = { insert: ["new"], delete: ["old"], update: ["new", "old"] }[event];
  const name = `hosts_tag_sets_after_${event}`;
  const body = `
    begin
      insert into host_tag_set_counts as counted (tags, ${CELL}, count)
        select tags, ${CELL}, sum(delta) from (${withSeveralTags(changes)}) changes
        group by tags, ${CELL} having sum(delta) <> 0
        on conflict (${CELL}) do update set count = counted.count + excluded.count;
      if found then
        delete from host_tag_set_counts
          where count = 0 and organization_id in (select organization_id from ${tables[0]}_hosts);
      end if;
      return null;
    end`;
  await sql`
    create function ${sql.id(name)}() returns trigger language plpgsql as ${sql.lit(body)}`.execute(db);
  await sql`
    create trigger ${sql.id(`tag_sets_after_${event}`)} after ${sql.raw(event)} on hosts
      referencing ${sql.raw(tables.map((one) => `${one} table as ${one}_hosts`).join(" "))}
      for each statement execute function ${sql.id(name)}()`.execute(db);
}
