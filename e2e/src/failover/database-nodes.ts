/** The processes of a machine with etcd and PostgreSQL. */
import { chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Deployment, type Machine, parseEnvironment, type Replacements } from "./deployment.ts";
import { ManagedProcess } from "./managed-process.ts";
import { findUser } from "./system-users.ts";

const DATABASE_USER = "postgres";
const REQUEST_MS = 2000;

export interface NodeOptions {
  folder: string;
  machine: Machine;
  /** Promotes a standby sooner than patroni.yml says. */
  isFast?: boolean;
}

/** Returns undefined if there is no response. */
export async function fetchJson<T>(url: string, init: RequestInit = {}): Promise<T | undefined> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(REQUEST_MS) });
    return (await response.json()) as T;
  } catch {
    return undefined;
  }
}

export function createEtcd(deployment: Deployment, { folder, machine }: NodeOptions): ManagedProcess {
  const replacements = [["/var/lib/etcd/lightkeeper", join(folder, `etcd${machine}`)]] as const;
  const environment = parseEnvironment(deployment.render("etcd.env", { machine, replacements }));
  const url = `http://${deployment.addressOf(machine)}:2379/health`;
  return new ManagedProcess({
    name: `etcd ${machine}`,
    command: "/usr/bin/etcd",
    args: [],
    // etcd 3.4 requires it on arm64.
    environment: { ...environment, ...(process.arch === "arm64" && { ETCD_UNSUPPORTED_ARCH: "arm64" }) },
    logFile: join(folder, `etcd${machine}.log`),
    isReady: async () => (await fetchJson<{ health: string }>(url))?.health === "true",
  });
}

const FAST: Replacements = [
  ["ttl: 15", "ttl: 10"],
  ["loop_wait: 3", "loop_wait: 2"],
  ["retry_timeout: 5", "retry_timeout: 4"],
];

/** A folder that only the database's user can read. */
function createDatabaseFolder(path: string): void {
  mkdirSync(path, { mode: 0o700 });
  const user = findUser(DATABASE_USER);
  if (user) chownSync(path, user.uid, user.gid);
}

export function createPostgres(
  deployment: Deployment,
  { folder, machine, isFast = false }: NodeOptions,
): ManagedProcess {
  const own = join(folder, `postgres${machine}`);
  createDatabaseFolder(own);
  const config = join(own, "patroni.yml");
  const replacements = [
    ["/var/lib/postgresql/15", own],
    ["/var/run/postgresql", own],
    ...(isFast ? FAST : []),
  ] as const;
  writeFileSync(config, deployment.render("patroni.yml", { machine, replacements }), { mode: 0o644 });
  const pidFile = join(own, "lightkeeper/postmaster.pid");
  const url = `http://${deployment.addressOf(machine)}:8008/patroni`;
  return new ManagedProcess({
    name: `PostgreSQL ${machine}`,
    command: "/usr/bin/patroni",
    args: [config],
    environment: { HOME: own },
    user: DATABASE_USER,
    logFile: join(folder, `postgres${machine}.log`),
    findDaemons: () => (existsSync(pidFile) ? [Number(readFileSync(pidFile, "utf8").split("\n")[0])] : []),
    isReady: async () => (await fetchJson<{ state: string }>(url))?.state === "running",
  });
}
