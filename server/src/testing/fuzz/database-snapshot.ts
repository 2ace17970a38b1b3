/** Reads one checksum for each table, so that every change of the database is found. */
import pg from "pg";
import type { TestDatabase } from "../database.ts";

export type DatabaseState = ReadonlyMap<string, string>;

export const EMPTY_TABLE = "0";

export interface SnapshotDatabase {
  read: () => Promise<DatabaseState>;
  /** Deletes all rows. */
  clear: () => Promise<void>;
  resetLimits: () => Promise<void>;
  close: () => Promise<void>;
}

/** Changes of these do not count, because requests change them without changing an object. */
const ignoredColumns: Record<string, "all" | string[]> = {
  // Rejected attempts count too.
  rate_limits: "all",
  // Rejected requests update the time of last use.
  sessions: ["last_used_at"],
  oidc_sessions: ["last_used_at"],
  api_keys: ["last_used_at"],
  // Entries are sealed after they are written.
  audit_logs: ["sequence", "hash"],
  audit_heads: "all",
  // Triggers log the changes of other tables.
  access_changes: "all",
  // Deliveries are sent after they are queued.
  notification_deliveries: [
    "state",
    "attempts",
    "request_headers",
    "response",
    "next_attempt_at",
    "expires_at",
    "finished_at",
  ],
  notification_channel_states: "all",
};

interface Table {
  name: string;
  columns: string[];
}

function checksumQuery({ name, columns }: Table): string[] {
  const ignored = ignoredColumns[name] ?? [];
  if (ignored === "all") return [];
  const compared = columns.filter((column) => !ignored.includes(column)).map((column) => `"${column}"`);
  const checksum = `coalesce(sum(hashtextextended(row(${compared.join()})::text, 0)), ${EMPTY_TABLE})::text`;
  return [`select '${name}' as name, ${checksum} as checksum from "${name}"`];
}

export async function connect({ url }: TestDatabase): Promise<SnapshotDatabase> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows: tables } = await client.query<Table>(
    `select table_name as name, array_agg(column_name::text) as columns
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not like 'kysely%'
     group by table_name`,
  );
  // A named statement is planned once.
  const statement = { name: "state", text: tables.flatMap(checksumQuery).join(" union all ") };
  const deletes = tables.map(({ name }) => `delete from "${name}"`);
  return {
    async read() {
      const { rows } = await client.query<{ name: string; checksum: string }>(statement);
      return new Map(rows.map(({ name, checksum }) => [name, checksum]));
    },
    async clear() {
      // Disables triggers and foreign keys.
      await client.query(["set local session_replication_role = replica", ...deletes].join(";"));
    },
    async resetLimits() {
      await client.query("delete from rate_limits");
    },
    close: () => client.end(),
  };
}

export function changedTables(before: DatabaseState, after: DatabaseState): string[] {
  return [...after].filter(([name, checksum]) => before.get(name) !== checksum).map(([name]) => name);
}
