import { type Kysely, sql } from "kysely";
import type { Config } from "../infrastructure/config/config.ts";
import { version } from "../infrastructure/config/version.ts";
import { type Context, createContext } from "../infrastructure/context/context.ts";
import { createSecretBox } from "../infrastructure/crypto/secret-box.ts";
import { assertSecretKeyIsPrivate, loadSecretKey } from "../infrastructure/crypto/secret-key.ts";
import { createDatabase } from "../infrastructure/db/client.ts";
import { COMMAND_LIMITS, createPool } from "../infrastructure/db/pool.ts";
import { migrate } from "../infrastructure/db/migrate.ts";
import type { Tables } from "../infrastructure/db/tables.ts";
import { startEmbeddedPostgres } from "@lightkeeper/postgres";
import { assertUsableConnections, explainConnectionError } from "./pooled-connections.ts";
import { assertSecretKeyMatches } from "../features/transfer/sealed-columns.ts";

type Log = (message: string, details?: object) => void;

export interface RunningDatabase {
  connectionString: string;
  stop: () => Promise<void>;
}

/** Opens the configured or the embedded database and migrates it to this version. */
export async function openDatabase(config: Config, log: Log): Promise<RunningDatabase> {
  assertSecretKeyIsPrivate(config);
  const database = await startDatabase(config, log);
  try {
    await withConnections(config, database, async (db) => {
      await assertUsableConnections(config);
      for (const name of await migrate(db)) log("applied migration", { migration: name });
      await assertSecretKeyMatches(db, createSecretBox(loadSecretKey(config)).keyID);
    });
  } catch (error) {
    await database.stop();
    throw error;
  }
  return database;
}

/** Opens the database without migrating it, and closes it after the work. */
export async function withDatabase<T>(config: Config, work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
  const database = await startDatabase(config, () => undefined);
  try {
    return await withConnections(config, database, work);
  } finally {
    await database.stop();
  }
}

/** Opens and migrates the database, and closes it after the work. A server may be using it. */
export async function withContext<T>(config: Config, work: (ctx: Context) => Promise<T>): Promise<T> {
  const database = await openDatabase(config, () => undefined);
  const ctx = createContext({ config, connectionString: database.connectionString, version });
  try {
    return await work(ctx);
  } finally {
    await ctx.dispose();
    await database.stop();
  }
}

async function startDatabase(
  { databaseURL, databaseDirectURL, dataDir }: Config,
  log: Log,
): Promise<RunningDatabase> {
  if (databaseURL)
    return { connectionString: databaseDirectURL ?? databaseURL, stop: () => Promise.resolve() };
  return startEmbeddedPostgres({ dataDir, database: "lightkeeper", log });
}

async function withConnections<T>(
  config: Config,
  { connectionString }: RunningDatabase,
  work: (db: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  const db = createDatabase(
    createPool({ connectionString, limits: COMMAND_LIMITS, onError: () => undefined }),
  );
  try {
    await sql`select 1`.execute(db).catch((error: NodeJS.ErrnoException) => {
      throw config.databaseURL ? explainConnectionError(config, error) : error;
    });
    return await work(db);
  } finally {
    await db.destroy();
  }
}
