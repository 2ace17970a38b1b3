/** Works with a database of any migration. */
import { type Kysely, sql } from "kysely";
import { ConfigError } from "../../infrastructure/config/config.ts";
import { LIFT_STATEMENT_TIMEOUT } from "../../infrastructure/db/connection.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import type { Table } from "./own-tables.ts";

/** Every change leaves a timestamp in one of these. */
const changeTimestamps = { audit_logs: "created_at", host_credentials: "sent_at" };

/** Time of the last change, in sortable form; null if there was none. */
export async function findChangedAt(db: Kysely<Tables>, tables: Table[]): Promise<string | null> {
  const known = Object.entries(changeTimestamps).filter(([table]) =>
    tables.some(({ name }) => name === table),
  );
  if (known.length === 0) return null;
  const newest = known.map(
    ([table, column]) => sql`(select max(${sql.ref(column)}) from ${sql.table(table)})`,
  );
  const { rows } = await sql<{ at: string | null }>`
    select to_char(greatest(${sql.join(newest)}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at
  `.execute(db);
  return rows[0]?.at ?? null;
}

/** Only servers listen for changes. */
export async function assertNoRunningServers(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql`
    select from pg_stat_activity
    where datname = current_database() and application_name = 'lightkeeper changes'`.execute(db);
  if (rows.length > 0) throw new ConfigError("A server is using the database. Stop it first.");
}

export async function liftTimeLimits(db: Kysely<Tables>): Promise<void> {
  await sql.raw(LIFT_STATEMENT_TIMEOUT).execute(db);
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(db);
}
