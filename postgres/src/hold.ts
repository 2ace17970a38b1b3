import { readFile, stat } from "node:fs/promises";
import { Socket } from "node:net";
import { Client, DatabaseError } from "pg";
import { SUPERUSER, type Cluster } from "./cluster.ts";
import { findPostmaster, launchPostmaster, readPostmasterFile, type Launch } from "./postmaster.ts";
import { checkSocketDirectory, PORT } from "./socket-directory.ts";

/** Shared by everybody who uses the cluster; whoever gets it alone may stop the cluster. */
const USERS_LOCK = 7_452_301;
const SILENCE_LIMIT_MS = 30_000;
const RECOVERY_LIMIT_MS = 10 * 60_000;
const LAUNCH_LIMIT = 8;
const CANNOT_CONNECT_NOW = "57P03";

/** A kept connection that tells others that the cluster is in use, and us when the cluster is gone. */
export interface Hold {
  client: Client;
  socket: Socket;
  socketDirectory: string;
  ended: Promise<void>;
}

/** Joins the running cluster, or starts it. Of several that start at the same moment one wins, the others join. */
export async function holdCluster(cluster: Cluster, pause: (ms: number) => Promise<unknown>): Promise<Hold> {
  const begunAt = performance.now();
  const logStart = await stat(cluster.logFile).then(
    ({ size }) => size,
    () => 0,
  );
  let heardAt = begunAt;
  let launch: Launch | undefined;
  let launches = 0;
  for (;;) {
    const attempt = await connect(cluster).catch((error: Error) => error);
    if (!(attempt instanceof Error)) return attempt;
    if (isStartingOrStopping(attempt) && performance.now() - begunAt < RECOVERY_LIMIT_MS)
      heardAt = performance.now();
    if (performance.now() - heardAt > SILENCE_LIMIT_MS) throw await failure(cluster, logStart, attempt);
    if (launch?.hasExited !== false && !(await findPostmaster(cluster.dataDirectory))) {
      if (launches++ === LAUNCH_LIMIT) throw await failure(cluster, logStart, attempt);
      // What is left of a killed server keeps the next one from starting for a moment.
      if (launch) await pause(200);
      launch = await launchPostmaster(cluster);
    }
    // Often while an answer may come any moment, seldom when a long recovery logs every question.
    await pause(Math.min(500, 15 + (performance.now() - begunAt) / 10));
  }
}

/** Whether nobody else uses the cluster. When two let go at the same moment, one of them gets true. */
export async function releaseCluster({ client }: Hold): Promise<boolean> {
  await client.query("select pg_advisory_unlock_shared($1)", [USERS_LOCK]);
  const answer = await client.query<{ alone: boolean }>("select pg_try_advisory_lock($1) as alone", [
    USERS_LOCK,
  ]);
  return answer.rows[0]?.alone === true;
}

async function connect(cluster: Cluster): Promise<Hold> {
  const running = await readPostmasterFile(cluster.dataDirectory);
  const socketDirectory = running?.socketDirectory || cluster.socketDirectory;
  await checkSocketDirectory(socketDirectory, cluster.account);
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
    const answer = await client.query<{ directory: string }>(
      "select current_setting('data_directory') as directory",
    );
    if (answer.rows[0]?.directory !== cluster.dataDirectory) {
      throw new Error(`The PostgreSQL at ${socketDirectory} does not serve ${cluster.dataDirectory}.`);
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

async function failure({ dataDirectory, logFile }: Cluster, logStart: number, cause: Error): Promise<Error> {
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
    `PostgreSQL does not answer for ${dataDirectory} (${cause.message}). Its log, ${logFile}, ends with:\n${lines || "(nothing)"}`,
    { cause },
  );
}
