/**
 * The included PostgreSQL, for servers without DATABASE_URL. Several processes can share a cluster: the first starts it
 * and the last stops it. A cluster that is still running is reused, and one that dies is started again. It listens on a
 * Unix socket in a private directory, never on the network.
 */
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { escapeIdentifier, type Client, type DatabaseError } from "pg";
import { prepareCluster, SUPERUSER } from "./cluster.ts";
import { explainError } from "./explain-error.ts";
import { connectOrStart } from "./cluster-connection.ts";
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
  /** Without durability, for test clusters only. */
  fast?: boolean;
}): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  try {
    const prepared = await prepareCluster(dataDir, options.fast ?? false);
    const connection = await connectOrStart(prepared, (ms) => sleep(ms));
    // The connection string must stay valid after restarts, so the socket must stay where it is.
    const cluster = { ...prepared, socketDirectory: connection.socketDirectory };
    const failure = await createDatabase(connection.client, options.database).catch((error: Error) => error);
    const stop = superviseCluster(cluster, connection, options.log);
    if (failure) {
      await stop();
      throw failure;
    }
    const { dataDirectory, socketDirectory, binaries } = cluster;
    options.log("PostgreSQL is ready.", { version: binaries.version, dataDirectory });
    return { connectionString: connectionString(socketDirectory, options.database), dataDirectory, stop };
  } catch (error) {
    throw explainError(error, dataDir);
  }
}

/** The host name is a placeholder for URL parsers; the `host` in the query, a directory, is used. */
function connectionString(socketDirectory: string, database: string): string {
  const query = `host=${encodeURIComponent(socketDirectory)}&port=${PORT}&sslmode=disable`;
  return `postgresql://${SUPERUSER}@localhost/${encodeURIComponent(database)}?${query}`;
}

async function createDatabase(client: Client, name: string): Promise<void> {
  const existing = await client.query("select from pg_database where datname = $1", [name]);
  if (existing.rowCount) return;
  await client.query(`create database ${escapeIdentifier(name)}`).catch((error: DatabaseError) => {
    const wasCreatedMeanwhile = error.code === "42P04" || error.code === "23505";
    if (!wasCreatedMeanwhile) throw error;
  });
}
