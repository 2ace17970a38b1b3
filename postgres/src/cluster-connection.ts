import { readFile, stat } from "node:fs/promises";
import { Socket } from "node:net";
import { Client, DatabaseError } from "pg";
import { SUPERUSER, type Cluster } from "./cluster.ts";
import { findPostmaster, launchPostmaster, readPostmasterFile, type Launch } from "./postmaster.ts";
import { assertSocketDirectory, PORT } from "./socket-directory.ts";
import { MINUTE_MS } from "./durations.ts";

/** Advisory lock: every process that uses the cluster holds it shared; one that gets it exclusively may stop it. */
const USERS_LOCK = 7_452_301;
const RESPONSE_LIMIT_MS = 30_000;
const RECOVERY_LIMIT_MS = 10 * MINUTE_MS;
const LAUNCH_LIMIT = 8;
const CANNOT_CONNECT_NOW = "57P03";

/** A permanent connection: it marks the cluster as in use, and ends when the cluster stops. */
export interface ClusterConnection {
  client: Client;
  socket: Socket;
  socketDirectory: string;
  ended: Promise<void>;
}

/** Connects to the running cluster, or starts it. If several processes start it at the same time, one succeeds. */
export async function connectOrStart(
  cluster: Cluster,
  pause: (ms: number) => Promise<unknown>,
): Promise<ClusterConnection> {
  const startedAt = performance.now();
  const logStart = await stat(cluster.logFile).then(
    ({ size }) => size,
    () => 0,
  );
  let respondedAt = startedAt;
  let launch: Launch | undefined;
  let launches = 0;
  for (;;) {
    const attempt = await connect(cluster).catch((error: Error) => error);
    if (!(attempt instanceof Error)) return attempt;
    if (isStartingOrStopping(attempt) && performance.now() - startedAt < RECOVERY_LIMIT_MS)
      respondedAt = performance.now();
    if (performance.now() - respondedAt > RESPONSE_LIMIT_MS)
      throw await createStartError(cluster, logStart, attempt);
    if (launch?.hasExited !== false && !(await findPostmaster(cluster.dataDirectory))) {
      if (launches++ === LAUNCH_LIMIT) throw await createStartError(cluster, logStart, attempt);
      // Remaining processes of a killed server block the next start for a moment.
      if (launch) await pause(200);
      launch = await launchPostmaster(cluster);
    }
    // Retry often at first, but rarely during a long recovery, which logs every attempt.
    await pause(Math.min(500, 15 + (performance.now() - startedAt) / 10));
  }
}

/** Returns whether no other process uses the cluster. If two leave at the same time, one of them gets true. */
export async function leaveCluster({ client }: ClusterConnection): Promise<boolean> {
  await client.query("select pg_advisory_unlock_shared($1)", [USERS_LOCK]);
  const result = await client.query<{ alone: boolean }>("select pg_try_advisory_lock($1) as alone", [
    USERS_LOCK,
  ]);
  return result.rows[0]?.alone === true;
}

async function connect(cluster: Cluster): Promise<ClusterConnection> {
  const running = await readPostmasterFile(cluster.dataDirectory);
  const socketDirectory = running?.socketDirectory || cluster.socketDirectory;
  await assertSocketDirectory(socketDirectory, cluster.account);
  const socket = new Socket();
  const client = new Client({
    host: socketDirectory,
    port: PORT,
    user: SUPERUSER,
    database: "postgres",
    ssl: false,
    application_name: "lightkeeper supervision",
    connectionTimeoutMillis: 5_000,
    stream: () => socket,
  });
  const ended = new Promise<void>((resolve) => client.once("end", resolve));
  client.on("error", () => socket.destroy());
  try {
    await client.connect();
    const result = await client.query<{ directory: string }>(
      "select current_setting('data_directory') as directory",
    );
    if (result.rows[0]?.directory !== cluster.dataDirectory) {
      throw new Error(`The PostgreSQL at ${socketDirectory} doesn't serve ${cluster.dataDirectory}.`);
    }
    await client.query("select pg_advisory_lock_shared($1)", [USERS_LOCK]);
    return { client, socket, socketDirectory, ended };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function isStartingOrStopping(error: Error): boolean {
  return error instanceof DatabaseError && error.code === CANNOT_CONNECT_NOW;
}

async function createStartError(
  { dataDirectory, logFile }: Cluster,
  logStart: number,
  cause: Error,
): Promise<Error> {
  const log = await readFile(logFile).catch(() => Buffer.alloc(0));
  const wasTruncated = log.length < logStart;
  const lines = log
    .subarray(wasTruncated ? 0 : logStart)
    .toString()
    .trim()
    .split("\n")
    .slice(-15)
    .join("\n");
  return new Error(
    `PostgreSQL doesn't respond for ${dataDirectory} (${cause.message}). The end of its log, ${logFile}:\n${lines || "(empty)"}`,
    { cause },
  );
}
