import type { Config } from "../config.ts";
import { createDatabase, createPool } from "../db/client.ts";
import { migrate } from "../db/migrate.ts";
import { startEmbeddedPostgres } from "../postgres/postgres.ts";

export interface RunningDatabase {
  connectionString: string;
  stop: () => Promise<void>;
}

/** The database the configuration names, or the embedded one; migrated to what this version needs. */
export async function openDatabase(
  config: Config,
  log: (message: string, details?: object) => void,
): Promise<RunningDatabase> {
  const embedded = config.databaseURL
    ? undefined
    : await startEmbeddedPostgres({ dataDir: config.dataDir, database: "lightkeeper", log });
  const connectionString = config.databaseURL ?? embedded?.connectionString ?? "";
  const stop = async () => embedded?.stop();
  const db = createDatabase(createPool(connectionString, () => undefined));
  try {
    for (const name of await migrate(db)) log("migrated", { migration: name });
  } catch (error) {
    await stop();
    throw error;
  } finally {
    await db.destroy();
  }
  return { connectionString, stop };
}
