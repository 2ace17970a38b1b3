/** Replaces the content of a database with an export and migrates it to the current version, in one transaction. */
import { type Kysely, sql } from "kysely";
import { DatabaseError } from "pg";
import { ConfigError } from "../../infrastructure/config/config.ts";
import { migrate } from "../../infrastructure/db/migrate.ts";
import { migrations } from "../../infrastructure/db/migration-list.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { damagedError, type Header, readHeader } from "./format.ts";
import { readLines } from "./lines.ts";
import { load } from "./load.ts";
import { findMigrations, listTables, migrationTables, ownViews } from "./own-tables.ts";
import { assertSecretKeyMatches } from "./sealed-columns.ts";
import { findChangedAt, liftTimeLimits, assertNoRunningServers } from "./database-state.ts";

/** Serializes concurrent imports. */
const IMPORT_LOCK = 7_205_009;

export interface ImportOptions {
  keyID: string;
  /** Replace existing data. */
  replace: boolean;
  /** Replace data that is newer than the export. */
  allowOlder: boolean;
}

export interface ImportResult {
  rows: number;
  header: Header;
  /** Migrations applied after loading. */
  migrated: string[];
}

export async function importFrom(
  db: Kysely<Tables>,
  file: AsyncIterable<Buffer>,
  options: ImportOptions,
): Promise<ImportResult> {
  const lines = readLines(file);
  const first = await lines.next();
  const header = readHeader(first.done ? undefined : first.value);
  assertImportable(header, options);
  return runInTransaction(db, async (tx) => {
    await liftTimeLimits(tx);
    await sql`select pg_advisory_xact_lock(${sql.lit(IMPORT_LOCK)})`.execute(tx);
    await assertNoRunningServers(tx);
    await assertReplaceable(tx, header, options);
    await dropTables(tx);
    await migrate(tx, { through: header.migration, isInTransaction: true });
    const rows = await load(tx, lines).catch(explainDatabaseError);
    const migrated = await migrate(tx, { isInTransaction: true });
    await assertSecretKeyMatches(tx, options.keyID);
    await sql`analyze`.execute(tx);
    return { rows, header, migrated };
  });
}

/** Data that the database rejects means that the export is damaged. */
function explainDatabaseError(error: unknown): never {
  const isDataError = error instanceof DatabaseError && /^2[23]/.test(error.code ?? "");
  throw isDataError ? damagedError(error.message) : error;
}

/** Kysely runs no migrations inside its own transactions. */
async function runInTransaction<T>(db: Kysely<Tables>, work: (tx: Kysely<Tables>) => Promise<T>): Promise<T> {
  return db.connection().execute(async (connection) => {
    await sql`begin`.execute(connection);
    try {
      const result = await work(connection);
      await sql`commit`.execute(connection);
      return result;
    } catch (error) {
      // A lost connection has already rolled back.
      await sql`rollback`.execute(connection).catch(() => undefined);
      throw error;
    }
  });
}

function assertImportable({ migration, madeBy, keyID }: Header, options: ImportOptions): void {
  if (!(migration in migrations))
    throw new ConfigError(`The export was created by a newer version (${madeBy}). Update Lightkeeper first.`);
  if (keyID !== options.keyID)
    throw new ConfigError(
      "The export was encrypted with a different SECRET_KEY. Set SECRET_KEY to the key of the exported server. " +
        "If it wasn’t set there, the key is in DATA_DIR/secret.key.",
    );
}

async function assertReplaceable(
  tx: Kysely<Tables>,
  header: Header,
  { replace, allowOlder }: ImportOptions,
): Promise<void> {
  const done = await findMigrations(tx);
  if (done?.some((name) => !(name in migrations)))
    throw new ConfigError("The database was created by a newer version. Update Lightkeeper first.");
  const tables = await listTables(tx);
  const changedAt = await findChangedAt(tx, tables);
  if (changedAt === null) return;
  if (!replace)
    throw new ConfigError("The database is not empty. Use --replace to replace its data with the export.");
  if (changedAt > (header.changedAt ?? "") && !allowOlder)
    throw new ConfigError(
      `The database was changed at ${changedAt}, after the export (${header.changedAt ?? "empty"}). ` +
        "Use --allow-older to replace it anyway; newer changes are lost.",
    );
}

async function dropTables(tx: Kysely<Tables>): Promise<void> {
  const tables = (await listTables(tx)).map(({ name }) => name);
  const { rows: functions } = await sql<{ name: string }>`
    select distinct tgfoid::regprocedure::text as name from pg_trigger
    where not tgisinternal and tgrelid = any(${tables}::regclass[])`.execute(tx);
  for (const view of ownViews) await sql`drop view if exists ${sql.table(view)}`.execute(tx);
  await sql`
    drop table if exists ${sql.join([...tables, ...migrationTables].map((name) => sql.table(name)))}
  `.execute(tx);
  for (const { name } of functions) await sql`drop function ${sql.raw(name)}`.execute(tx);
}
