/**
 * The PostgreSQL that comes along, for those who bring none of their own. What was committed survives a
 * kill of everything; a cluster left behind is joined, one that dies is started again, and one that several
 * processes use is stopped by the last. It listens on a socket in a closed directory, never on the network.
 */
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { escapeIdentifier, type Client, type DatabaseError } from "pg";
import { prepareCluster, SUPERUSER } from "./cluster.ts";
import { explainFailure } from "./failures.ts";
import { holdCluster } from "./hold.ts";
import { PORT } from "./socket-directory.ts";
import { superviseCluster } from "./supervision.ts";

export interface EmbeddedPostgres {
  connectionString: string;
  dataDirectory: string;
  stop(): Promise<void>;
}

export async function startEmbeddedPostgres(options: {
  dataDir: string;
  database: string;
  log: (message: string, details?: object) => void;
  /** Gives up durability for speed: for test clusters only. */
  fast?: boolean;
}): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  try {
    const prepared = await prepareCluster(dataDir, options.fast ?? false);
    const hold = await holdCluster(prepared, (ms) => sleep(ms));
    // The connection string outlives restarts, so they have to keep the socket where it is now.
    const cluster = { ...prepared, socketDirectory: hold.socketDirectory };
    const failure = await createDatabase(hold.client, options.database).catch((error: Error) => error);
    const stop = superviseCluster(cluster, hold, options.log);
    if (failure) {
      await stop();
      throw failure;
    }
    const { dataDirectory, socketDirectory, binaries } = cluster;
    options.log("PostgreSQL is ready.", { version: binaries.version, dataDirectory });
    return { connectionString: connectionString(socketDirectory, options.database), dataDirectory, stop };
  } catch (error) {
    throw explainFailure(error, dataDir);
  }
}

/** The host name is a placeholder that every URL parser accepts; the query's host, a directory, counts. */
function connectionString(socketDirectory: string, database: string): string {
  const query = `host=${encodeURIComponent(socketDirectory)}&port=${PORT}&sslmode=disable`;
  return `postgresql://${SUPERUSER}@localhost/${encodeURIComponent(database)}?${query}`;
}

async function createDatabase(client: Client, name: string): Promise<void> {
  const found = await client.query("select from pg_database where datname = $1", [name]);
  if (found.rowCount) return;
  await client.query(`create database ${escapeIdentifier(name)}`).catch((error: DatabaseError) => {
    const isMadeByAnother = error.code === "42P04" || error.code === "23505";
    if (!isMadeByAnother) throw error;
  });
}
