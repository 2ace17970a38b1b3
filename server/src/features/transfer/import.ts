/**
 * An export in the place of whatever the database holds. It is one transaction: the database becomes what was
 * exported, brought to the newest migration, or stays as it is.
 */
import { type Kysely, sql } from "kysely";
import { DatabaseError } from "pg";
import { ConfigError } from "../../infrastructure/config/config.ts";
import { migrate, migrations } from "../../infrastructure/db/migrate.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { damaged, type Header, readHeader } from "./format.ts";
import { readLines } from "./lines.ts";
import { load } from "./load.ts";
import { findMigrations, listTables, migrationTables, ownViews } from "./own-tables.ts";
import { refuseOtherKey } from "./sealed-columns.ts";
import { findChangedAt, liftTimeLimits, refuseRunningServers } from "./state.ts";

/** Of two imports at once the second finds what the first has left. */
const IMPORT_LOCK = 7_205_009;

export interface ImportOptions {
  keyID: string;
  /** What the database holds may go. */
  replace: boolean;
  /** Even if it is newer than the export. */
  allowOlder: boolean;
}

export interface Imported {
  rows: number;
  header: Header;
  /** What it was brought through since it was exported. */
  migrated: string[];
}

export async function importFrom(
  db: Kysely<Tables>,
  file: AsyncIterable<Buffer>,
  options: ImportOptions,
): Promise<Imported> {
  const lines = readLines(file);
  const first = await lines.next();
  const header = readHeader(first.done ? undefined : first.value);
  refuseHeader(header, options);
  return inTransaction(db, async (tx) => {
    await liftTimeLimits(tx);
    await sql`select pg_advisory_xact_lock(${sql.lit(IMPORT_LOCK)})`.execute(tx);
    await refuseRunningServers(tx);
    await refuseTarget(tx, header, options);
    await clear(tx);
    await migrate(tx, { through: header.migration, isPart: true });
    const rows = await load(tx, lines).catch(explainRefusal);
    const migrated = await migrate(tx, { isPart: true });
    await refuseOtherKey(tx, options.keyID);
    await sql`analyze`.execute(tx);
    return { rows, header, migrated };
  });
}

/** What the database refuses is no fault of ours. */
function explainRefusal(error: unknown): never {
  const isRefused = error instanceof DatabaseError && /^2[23]/.test(error.code ?? "");
  throw isRefused ? damaged(error.message) : error;
}

/** Not Kysely's own kind, in which it runs no migrations. */
async function inTransaction<T>(db: Kysely<Tables>, work: (tx: Kysely<Tables>) => Promise<T>): Promise<T> {
  return db.connection().execute(async (connection) => {
    await sql`begin`.execute(connection);
    try {
      const result = await work(connection);
      await sql`commit`.execute(connection);
      return result;
    } catch (error) {
      // Where the connection is lost, so is the transaction.
      await sql`rollback`.execute(connection).catch(() => undefined);
      throw error;
    }
  });
}

function refuseHeader({ migration, madeBy, keyID }: Header, options: ImportOptions): void {
  if (!(migration in migrations))
    throw new ConfigError(`The export was made by a newer version, ${madeBy}: update Lightkeeper first`);
  if (keyID !== options.keyID)
    throw new ConfigError(
      "The export is sealed with another SECRET_KEY: set it to the one of the installation that was exported " +
        "(where none was set, it is in DATA_DIR/secret.key there)",
    );
}

async function refuseTarget(
  tx: Kysely<Tables>,
  header: Header,
  { replace, allowOlder }: ImportOptions,
): Promise<void> {
  const done = await findMigrations(tx);
  if (done?.some((name) => !(name in migrations)))
    throw new ConfigError("The database was made by a newer version: update Lightkeeper first");
  const tables = await listTables(tx);
  const changedAt = await findChangedAt(tx, tables);
  if (changedAt === null) return;
  if (!replace) throw new ConfigError("The database holds data: with --replace, the export takes its place");
  if (changedAt > (header.changedAt ?? "") && !allowOlder)
    throw new ConfigError(
      `The database was changed at ${changedAt}, after the export (${header.changedAt ?? "empty"}): with ` +
        "--allow-older, what is newer is lost",
    );
}

async function clear(tx: Kysely<Tables>): Promise<void> {
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
