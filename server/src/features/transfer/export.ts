/** Everything that is ours in a database, as it was at one moment. */
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { type Kysely, sql } from "kysely";
import { ConfigError } from "../../infrastructure/config/config.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { type Header, writeEnd, writeHeader, writeTable } from "./format.ts";
import { findMigrations, listTables, type Table } from "./own-tables.ts";
import { refuseOtherKey } from "./sealed-columns.ts";
import { findChangedAt, liftTimeLimits } from "./state.ts";

/** What is in memory at any moment. */
const ROWS_AT_ONCE = 250;

export interface ExportOptions {
  keyID: string;
  version: string;
  now: Date;
}

/** How many rows were written. Whoever changes something meanwhile neither waits nor is seen. */
export async function exportTo(
  db: Kysely<Tables>,
  file: NodeJS.WritableStream,
  { keyID, version, now }: ExportOptions,
): Promise<number> {
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (tx) => {
      await liftTimeLimits(tx);
      await writeAsAlways(tx);
      const migration = (await findMigrations(tx))?.at(-1);
      if (!migration) throw new ConfigError("There is nothing to export: the database is empty");
      await refuseOtherKey(tx, keyID);
      const tables = await listTables(tx);
      const changedAt = await findChangedAt(tx, tables);
      const header = { madeBy: version, migration, exportedAt: now.toISOString(), changedAt, keyID };
      const counted = { rows: 0 };
      await pipeline(linesOf(tx, header, tables, counted), createGzip(), file);
      return counted.rows;
    });
}

/** However this database or its user would rather have values written. */
async function writeAsAlways(tx: Kysely<Tables>): Promise<void> {
  await sql`set local bytea_output = 'hex'`.execute(tx);
  await sql`set local datestyle = 'ISO'`.execute(tx);
  await sql`set local timezone = 'UTC'`.execute(tx);
}

async function* linesOf(
  tx: Kysely<Tables>,
  header: Omit<Header, "format" | "version">,
  tables: Table[],
  counted: { rows: number },
): AsyncGenerator<string> {
  yield writeHeader(header);
  for (const { name, columns } of tables) {
    yield writeTable({ table: name, columns: columns.map((column) => column.name) });
    const values = columns.map((column) => sql`${sql.ref(column.name)}::text`);
    await sql`
      declare walked no scroll cursor for
        select array_to_json(array[${sql.join(values)}])::text as line from ${sql.table(name)}`.execute(tx);
    for (;;) {
      const { rows } = await sql<{ line: string }>`fetch ${sql.lit(ROWS_AT_ONCE)} from walked`.execute(tx);
      if (rows.length === 0) break;
      counted.rows += rows.length;
      yield rows.map(({ line }) => `${line}\n`).join("");
    }
    await sql`close walked`.execute(tx);
  }
  yield writeEnd(counted.rows);
}
