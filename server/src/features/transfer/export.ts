/** Exports a consistent snapshot of our tables. */
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { type Kysely, sql } from "kysely";
import { ConfigError } from "../../infrastructure/config/config.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { type Header, writeEnd, writeHeader, writeTable } from "./format.ts";
import { findMigrations, listTables, type Table } from "./own-tables.ts";
import { assertSecretKeyMatches } from "./sealed-columns.ts";
import { findChangedAt, liftTimeLimits } from "./database-state.ts";

/** Rows in memory at a time. */
const BATCH_ROWS = 250;

export interface ExportOptions {
  keyID: string;
  version: string;
  now: Date;
}

/** Returns the number of rows. Concurrent writes neither wait nor appear in the export. */
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
      await setOutputFormats(tx);
      const migration = (await findMigrations(tx))?.at(-1);
      if (!migration) throw new ConfigError("There is nothing to export: the database is empty");
      await assertSecretKeyMatches(tx, keyID);
      const tables = await listTables(tx);
      const changedAt = await findChangedAt(tx, tables);
      const header = { madeBy: version, migration, exportedAt: now.toISOString(), changedAt, keyID };
      const counted = { rows: 0 };
      await pipeline(generateLines(tx, header, tables, counted), createGzip(), file);
      return counted.rows;
    });
}

/** Overrides the settings of the database or its user. */
async function setOutputFormats(tx: Kysely<Tables>): Promise<void> {
  await sql`set local bytea_output = 'hex'`.execute(tx);
  await sql`set local datestyle = 'ISO'`.execute(tx);
  await sql`set local timezone = 'UTC'`.execute(tx);
}

async function* generateLines(
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
      declare export_rows no scroll cursor for
        select array_to_json(array[${sql.join(values)}])::text as line from ${sql.table(name)}`.execute(tx);
    for (;;) {
      const { rows } = await sql<{ line: string }>`fetch ${sql.lit(BATCH_ROWS)} from export_rows`.execute(tx);
      if (rows.length === 0) break;
      counted.rows += rows.length;
      yield rows.map(({ line }) => `${line}\n`).join("");
    }
    await sql`close export_rows`.execute(tx);
  }
  yield writeEnd(counted.rows);
}
