/** The database from beside the server: what it holds, one figure for each table, so that any change shows. */
import pg from "pg";
import type { TestDatabase } from "../database.ts";

export type DatabaseState = ReadonlyMap<string, string>;

/** The figure of an empty table. */
export const NOTHING = "0";

export interface Database {
  read: () => Promise<DatabaseState>;
  /** As if nobody had ever been here. */
  clear: () => Promise<void>;
  /** Forgets how often anything was tried. */
  liftLimits: () => Promise<void>;
  close: () => Promise<void>;
}

/** What moves although nothing that anybody owns has changed. */
const machinery: Record<string, "whole" | string[]> = {
  // Attempts are counted whatever comes of them.
  rate_limits: "whole",
  // Who was refused has been there all the same.
  sessions: ["last_used_at"],
  oidc_sessions: ["last_used_at"],
  api_keys: ["last_used_at"],
  // Entries are sealed into their chain after they were written.
  audit_logs: ["sequence", "hash"],
  audit_heads: "whole",
};

interface Table {
  name: string;
  columns: string[];
}

function figureOf({ name, columns }: Table): string[] {
  const ignored = machinery[name] ?? [];
  if (ignored === "whole") return [];
  const kept = columns.filter((column) => !ignored.includes(column)).map((column) => `"${column}"`);
  const figure = `coalesce(sum(hashtextextended(row(${kept.join()})::text, 0)), ${NOTHING})::text`;
  return [`select '${name}' as name, ${figure} as figure from "${name}"`];
}

export async function connect({ url }: TestDatabase): Promise<Database> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows: tables } = await client.query<Table>(
    `select table_name as name, array_agg(column_name::text) as columns
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not like 'kysely%'
     group by table_name`,
  );
  // Named, so that it is planned once.
  const statement = { name: "state", text: tables.flatMap(figureOf).join(" union all ") };
  const deletes = tables.map(({ name }) => `delete from "${name}"`);
  return {
    async read() {
      const { rows } = await client.query<{ name: string; figure: string }>(statement);
      return new Map(rows.map(({ name, figure }) => [name, figure]));
    },
    async clear() {
      // No trigger and no reference is in the way of this role.
      await client.query(["set local session_replication_role = replica", ...deletes].join(";"));
    },
    async liftLimits() {
      await client.query("delete from rate_limits");
    },
    close: () => client.end(),
  };
}

export function changedTables(before: DatabaseState, after: DatabaseState): string[] {
  return [...after].filter(([name, figure]) => before.get(name) !== figure).map(([name]) => name);
}
