/** The tables of Lightkeeper: the database may contain others. */
import { type Kysely, sql } from "kysely";
import type { Tables } from "../../infrastructure/db/tables.ts";

const relations = {
  api_keys: "table",
  audit_heads: "table",
  audit_logs: "table",
  auth_tokens: "table",
  billing_accounts: "table",
  ca_rotations: "table",
  certificate_authorities: "table",
  device_requests: "table",
  endpoint_auth_requests: "table",
  endpoint_users: "table",
  enrollment_codes: "table",
  feature_flags: "table",
  free_addresses: "table",
  host_certificates: "table",
  host_command_chunks: "table",
  host_commands: "table",
  host_counts: "table",
  host_credentials: "table",
  host_presence: "table",
  host_reports: "table",
  host_tags: "table",
  hosts: "table",
  import_plans: "table",
  invitations: "table",
  job_items: "table",
  jobs: "table",
  known_browsers: "table",
  magic_links: "table",
  mail_jobs: "table",
  members: "view",
  networks: "table",
  oidc_providers: "table",
  oidc_requests: "table",
  oidc_sessions: "table",
  oidc_users: "table",
  organization_domains: "table",
  organizations: "table",
  rate_limits: "table",
  roles: "table",
  route_subscriptions: "table",
  routes: "table",
  seen_signatures: "table",
  sessions: "table",
  setup_codes: "table",
  signing_keys: "table",
  subscriptions: "table",
  tags: "table",
  totp_authenticators: "table",
  totp_setups: "table",
  users: "table",
} satisfies Record<keyof Tables, "table" | "view">;

const namesOf = (kind: "table" | "view") =>
  Object.entries(relations).flatMap(([name, is]) => (is === kind ? [name] : []));

export const ownTables: readonly string[] = namesOf("table");
export const ownViews: readonly string[] = namesOf("view");

/** Kysely records applied migrations here. */
export const migrationTables = ["kysely_migration", "kysely_migration_lock"] as const;

export interface Column {
  name: string;
  /** SQL type. */
  type: string;
  isIdentity: boolean;
}

export interface Table {
  name: string;
  /** Without generated columns. */
  columns: Column[];
}

/** Returns our tables that exist in the database. */
export async function listTables(db: Kysely<Tables>): Promise<Table[]> {
  const { rows } = await sql<Table>`
    select class.relname as name, json_agg(json_build_object(
        'name', attname, 'type', format_type(atttypid, atttypmod), 'isIdentity', attidentity <> ''
      ) order by attnum) as columns
    from pg_class class join pg_attribute on attrelid = class.oid
    where class.relkind = 'r' and class.relnamespace = current_schema()::regnamespace
      and class.relname = any(${ownTables})
      and attnum > 0 and not attisdropped and attgenerated = ''
    group by 1 order by 1`.execute(db);
  return rows;
}

/** Applied migrations in order; undefined if there are none. */
export async function findMigrations(db: Kysely<Tables>): Promise<string[] | undefined> {
  const { rows: found } = await sql<{ is: boolean }>`
    select to_regclass(current_schema() || '.kysely_migration') is not null as is`.execute(db);
  if (!found[0]?.is) return undefined;
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.length > 0 ? rows.map(({ name }) => name) : undefined;
}
