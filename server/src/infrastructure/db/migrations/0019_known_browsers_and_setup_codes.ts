import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await knownBrowsers(db);
  await setupCodes(db);
}

/** Sessions are deleted when they end, so they cannot tell whether a user has used a browser before. */
async function knownBrowsers(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table known_browsers (
      organization_id text not null,
      user_id text not null,
      browser text not null,
      network text not null,
      last_used_at timestamptz not null,
      primary key (user_id, browser, network),
      foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
    )`.execute(db);
  await sql`alter table sessions add column completed_at timestamptz`.execute(db);
  await sql`update sessions set completed_at = created_at`.execute(db);
}

/** One row at most. A link keeps the hash of the code it was requested with. */
async function setupCodes(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table setup_codes (
      id boolean primary key check (id),
      code_hash bytea not null,
      created_at timestamptz not null
    )`.execute(db);
  await sql`alter table mail_jobs add column setup_code_hash bytea`.execute(db);
  await sql`alter table magic_links add column setup_code_hash bytea`.execute(db);
}
