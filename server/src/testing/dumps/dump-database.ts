/** A whole database as SQL. The embedded PostgreSQL comes without pg_dump, and Debian's is older than it. */
import type pg from "pg";
import { withClient } from "../database.ts";
import {
  EXTENSIONS,
  FOREIGN_KEYS,
  FUNCTIONS,
  INDEXES,
  readStatements,
  STATISTICS,
  TABLES_WITHOUT_FOREIGN_KEYS,
  TRIGGERS,
  VIEWS,
} from "../describe-schema.ts";

interface Table {
  name: string;
  /** Quoted, without generated columns. */
  columns: string[];
  hasIdentity: boolean;
}

const LIST_TABLES = `
  select quote_ident(relname) as name, array_agg(quote_ident(attname) order by attnum) as columns,
    bool_or(attidentity <> '') as "hasIdentity"
  from pg_class join pg_attribute on attrelid = pg_class.oid
  where relkind = 'r' and relnamespace = 'public'::regnamespace
    and attnum > 0 and not attisdropped and attgenerated = ''
  group by relname order by relname`;

const SEQUENCES = `
  select format('select setval(%L, %s);', sequencename, last_value) as statement
  from pg_sequences where schemaname = 'public' and last_value is not null order by sequencename`;

async function dumpRows(client: pg.Client, { name, columns, hasIdentity }: Table): Promise<string[]> {
  const values = columns.map((column) => `quote_nullable(${column}::text)`).join(", ");
  const { rows } = await client.query<{ values: string }>(
    `select concat_ws(', ', ${values}) as values from ${name} order by 1`,
  );
  if (rows.length === 0) return [];
  const target = `${name} (${columns.join(", ")})${hasIdentity ? " overriding system value" : ""}`;
  return [`insert into ${target} values\n${rows.map((row) => `  (${row.values})`).join(",\n")};`];
}

/** Foreign keys and triggers follow the rows, so that rows need no order and change nothing. */
export const dumpDatabase = (connectionString: string): Promise<string> =>
  withClient(connectionString, async (client) => {
    await client.query("set time zone 'UTC'");
    const { rows: tables } = await client.query<Table>(LIST_TABLES);
    const statements = await readStatements(client, [EXTENSIONS, FUNCTIONS, TABLES_WITHOUT_FOREIGN_KEYS]);
    for (const table of tables) statements.push(...(await dumpRows(client, table)));
    const rest = [SEQUENCES, FOREIGN_KEYS, INDEXES, STATISTICS, VIEWS, TRIGGERS];
    statements.push(...(await readStatements(client, rest)));
    return `${statements.join("\n\n")}\n`;
  });

const isMigrationTable = (name: string) => name.startsWith("kysely_");

/** Returns the number of rows in every table. */
export const countRows = (connectionString: string): Promise<Record<string, number>> =>
  withClient(connectionString, async (client) => {
    const { rows: tables } = await client.query<Table>(LIST_TABLES);
    const counts: Record<string, number> = {};
    for (const { name } of tables) {
      if (isMigrationTable(name)) continue;
      const { rows } = await client.query<{ count: number }>(`select count(*)::int as count from ${name}`);
      counts[name] = rows[0]?.count ?? 0;
    }
    return counts;
  });
