/** Loads rows into empty tables, with foreign keys and triggers disabled. */
import { type Kysely, sql } from "kysely";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { damagedError, isRow, readMarker, type TableLine } from "./format.ts";
import { listTables, type Table } from "./own-tables.ts";

/** Limits of what is in memory at a time. */
const BATCH_ROWS = 500;
const BATCH_LENGTH = 1_000_000;

/** Returns the number of rows. */
export async function load(db: Kysely<Tables>, lines: AsyncIterable<string>): Promise<number> {
  const tables = await listTables(db);
  const restore = await disableConstraints(db, tables);
  const rows = await insertLines(db, tables, lines);
  for (const table of tables) await resetSequences(db, table);
  await restore();
  return rows;
}

async function insertLines(
  db: Kysely<Tables>,
  tables: Table[],
  lines: AsyncIterable<string>,
): Promise<number> {
  let target: Target | undefined;
  let batch: string[] = [];
  let length = 0;
  let count = 0;
  let expected: number | undefined;
  const flush = async () => {
    if (target && batch.length > 0) await insert(db, target, batch);
    count += batch.length;
    batch = [];
    length = 0;
  };
  for await (const line of lines) {
    if (expected !== undefined) throw damagedError("it continues after its end");
    if (isRow(line)) {
      if (!target) throw damagedError("a row comes before its table");
      batch.push(line);
      length += line.length;
      if (batch.length === BATCH_ROWS || length > BATCH_LENGTH) await flush();
    } else {
      await flush();
      const next = readMarker(line);
      if (next.kind === "end") expected = next.rows;
      else target = targetOf(tables, next.table);
    }
  }
  if (expected === undefined) throw damagedError("its end is missing");
  if (expected !== count) throw damagedError(`it has ${count} rows instead of ${expected}`);
  return count;
}

interface Target {
  name: string;
  columns: Table["columns"];
}

/** Uses only names from the database's own catalog in SQL. */
function targetOf(tables: Table[], { table, columns }: TableLine): Target {
  const found = tables.find(({ name }) => name === table);
  const known = columns.map((column) => found?.columns.find(({ name }) => name === column));
  const isKnown = (column: (typeof known)[number]) => column !== undefined;
  if (!found || !known.every(isKnown))
    throw damagedError(`its migration has no table ${table} with these columns`);
  return { name: table, columns: known.filter(isKnown) };
}

async function insert(db: Kysely<Tables>, { name, columns }: Target, batch: string[]): Promise<void> {
  const values = columns.map(({ type }, index) => sql`(line ->> ${sql.lit(index)}::int)::${sql.raw(type)}`);
  const { numAffectedRows } = await sql`
    insert into ${sql.table(name)} (${sql.join(columns.map((column) => sql.ref(column.name)))})
      overriding system value
      select ${sql.join(values)} from jsonb_array_elements(${`[${batch.join(",")}]`}::jsonb) line
      where jsonb_array_length(line) = ${sql.lit(columns.length)}`.execute(db);
  if (numAffectedRows !== BigInt(batch.length))
    throw damagedError(`a row of ${name} does not have ${columns.length} values`);
}

/** Identity columns continue after the highest value. */
async function resetSequences(db: Kysely<Tables>, { name, columns }: Table): Promise<void> {
  for (const column of columns.filter(({ isIdentity }) => isIdentity))
    await sql`
      select setval(pg_get_serial_sequence(${name}, ${column.name}), max(${sql.ref(column.name)}))
      from ${sql.table(name)}`.execute(db);
}

/** Drops foreign keys and disables triggers; call the result to restore them and check every reference. */
async function disableConstraints(db: Kysely<Tables>, tables: Table[]): Promise<() => Promise<void>> {
  const names = tables.map(({ name }) => name);
  const { rows: references } = await sql<{ table: string; name: string; definition: string }>`
    select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
    from pg_constraint
    where contype = 'f' and conrelid = any(${names}::regclass[])`.execute(db);
  const { rows: triggered } = await sql<{ table: string }>`
    select distinct tgrelid::regclass::text as table from pg_trigger
    where not tgisinternal and tgrelid = any(${names}::regclass[])`.execute(db);
  for (const { table, name } of references)
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(db);
  const setTriggers = async (to: "enable" | "disable") => {
    for (const { table } of triggered)
      await sql`alter table ${sql.table(table)} ${sql.raw(to)} trigger user`.execute(db);
  };
  await setTriggers("disable");
  return async () => {
    // Pending deferred constraints would prevent altering the tables.
    await sql`set constraints all immediate`.execute(db);
    await setTriggers("enable");
    for (const { table, name, definition } of references)
      await sql`
        alter table ${sql.table(table)} add constraint ${sql.ref(name)} ${sql.raw(definition)}`.execute(db);
  };
}
