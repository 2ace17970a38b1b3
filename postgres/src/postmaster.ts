import { execFile, spawn } from "node:child_process";
import { open, readFile, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { isRoot, runAs } from "./account.ts";
import type { Cluster } from "./cluster.ts";
import { isAlive } from "./is-alive.ts";
import { createSocketDirectory, PORT } from "./socket-directory.ts";
import { MINUTE_MS } from "./durations.ts";

const LARGEST_LOG_BYTES = 10 * 1024 * 1024;
const SHUTDOWN_LIMIT_MS = MINUTE_MS;
const run = promisify(execFile);

export interface Launch {
  hasExited: boolean;
}

/** Starts the server process in its own session, so that Ctrl-C in our terminal doesn't stop it. */
export async function launchPostmaster(cluster: Cluster): Promise<Launch> {
  await createSocketDirectory(cluster.socketDirectory, cluster.account);
  await removeStaleLocks(cluster);
  const log = await openLog(cluster);
  try {
    const launch: Launch = { hasExited: false };
    const child = spawn(cluster.binaries.postgres, postmasterArguments(cluster), {
      ...runAs(cluster.account),
      detached: true,
      stdio: ["ignore", log.fd, log.fd],
    });
    child.once("exit", () => (launch.hasExited = true));
    child.once("error", () => (launch.hasExited = true));
    child.unref();
    return launch;
  } finally {
    await log.close();
  }
}

function postmasterArguments({ dataDirectory, socketDirectory, isFast }: Cluster): string[] {
  const settings = {
    listen_addresses: "",
    port: PORT,
    unix_socket_directories: `"${socketDirectory.replaceAll('"', '""')}"`,
    unix_socket_permissions: "0700",
    max_connections: 200,
    fsync: isFast ? "off" : "on",
    synchronous_commit: isFast ? "off" : "on",
    full_page_writes: isFast ? "off" : "on",
    // Every commit waits while a new WAL file is filled with zeros, which took about 100 ms.
    wal_init_zero: "off",
    // Much faster recovery after a crash: one call for the whole disk instead of one per file.
    recovery_init_sync_method: process.platform === "linux" ? "syncfs" : "fsync",
    log_min_messages: "warning",
    log_checkpoints: "off",
    log_connections: "off",
    log_statement: "none",
    // Details and statements of errors contain values of rows, which must not be logged.
    log_error_verbosity: "terse",
    log_min_error_statement: "panic",
  };
  return [
    "-D",
    dataDirectory,
    ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ];
}

async function openLog({ logFile, account }: Cluster): Promise<FileHandle> {
  const log = await open(logFile, "a", 0o600);
  if (isRoot()) await log.chown(account.uid, account.gid);
  if ((await log.stat()).size > LARGEST_LOG_BYTES) await log.truncate();
  return log;
}

/** Reads the lock file of the running server. */
export async function readPostmasterFile(
  dataDirectory: string,
): Promise<{ pid: number; socketDirectory: string } | undefined> {
  const text = await readFile(join(dataDirectory, "postmaster.pid"), "utf8").catch(() => "");
  const [pid = "", , , , socketDirectory = ""] = text.split("\n");
  return pid ? { pid: Number(pid), socketDirectory } : undefined;
}

/** The ID of the process that serves this data directory. Lock files of dead processes are ignored. */
export async function findPostmaster(dataDirectory: string): Promise<number | undefined> {
  const file = await readPostmasterFile(dataDirectory);
  return file && (await isPostmaster(file.pid, dataDirectory)) ? file.pid : undefined;
}

async function isPostmaster(pid: number, dataDirectory: string): Promise<boolean> {
  const command =
    process.platform === "linux"
      ? await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")
      : await run("/bin/ps", ["-ww", "-o", "command=", "-p", String(pid)]).then(
          ({ stdout }) => stdout,
          () => "",
        );
  return command.replaceAll("\0", " ").includes(` -D ${dataDirectory} `);
}

/**
 * PostgreSQL removes the lock files of a dead server itself, unless another process of the same user has the same
 * process ID now: then PostgreSQL assumes that the server is still running.
 */
async function removeStaleLocks({ dataDirectory, socketDirectory }: Cluster): Promise<void> {
  const files = [join(dataDirectory, "postmaster.pid"), join(socketDirectory, `.s.PGSQL.${PORT}.lock`)];
  for (const file of files) {
    const text = await readFile(file, "utf8").catch(() => undefined);
    if (text === undefined) continue;
    const pid = Number.parseInt(text, 10);
    const wasPidReused = isAlive(pid) && !(await isPostmaster(pid, dataDirectory));
    if (wasPidReused) await rm(file, { force: true });
  }
}

/** Requests a fast shutdown, which ends all sessions, and waits for it. */
export async function shutDownPostmaster(dataDirectory: string): Promise<void> {
  const pid = await findPostmaster(dataDirectory);
  if (pid === undefined) return;
  const deadline = performance.now() + SHUTDOWN_LIMIT_MS;
  if (isAlive(pid)) process.kill(pid, "SIGINT");
  while (await isPostmaster(pid, dataDirectory)) {
    if (performance.now() > deadline)
      throw new Error(`PostgreSQL (process ${pid}) didn't stop within a minute.`);
    await sleep(15);
  }
}
