/** What the server and its database have used so far. Linux only. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import type { FleetSystem } from "../fleet-system.ts";

export interface Usage {
  seconds: number;
  serverSeconds: number;
  databaseSeconds: number;
  walBytes: number;
}

/** Of /proc/PID/stat, counted after the name of the program. */
const [PARENT, FIRST_TIME, TIMES] = [1, 11, 4];
const TICKS_PER_SECOND = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));

function readStat(pid: number | string) {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  // Its own user and system time, and those of its children that have exited.
  const ticks = fields.slice(FIRST_TIME, FIRST_TIME + TIMES).reduce((sum, value) => sum + value, 0);
  return { parent: fields[PARENT] ?? 0, seconds: ticks / TICKS_PER_SECOND };
}

function findProcesses() {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return [readStat(name)];
    } catch {
      // The process has exited.
      return [];
    }
  });
}

/** The CPU time of PostgreSQL: of the process that starts the others, and of those. */
async function databaseSecondsOf({ query }: FleetSystem): Promise<number> {
  const [row] = await query<{ pid: number }>("select pg_backend_pid() as pid");
  const { parent } = readStat(row?.pid ?? 0);
  const children = findProcesses().filter((process) => process.parent === parent);
  return children.reduce((sum, { seconds }) => sum + seconds, readStat(parent).seconds);
}

export async function readUsage(system: FleetSystem): Promise<Usage> {
  const [wal] = await system.query<{ bytes: string }>(
    "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes",
  );
  return {
    seconds: performance.now() / 1000,
    serverSeconds: system.server().cpuSeconds(),
    databaseSeconds: await databaseSecondsOf(system),
    walBytes: Number(wal?.bytes),
  };
}

export const subtract = (after: Usage, before: Usage): Usage => ({
  seconds: after.seconds - before.seconds,
  serverSeconds: after.serverSeconds - before.serverSeconds,
  databaseSeconds: after.databaseSeconds - before.databaseSeconds,
  walBytes: after.walBytes - before.walBytes,
});
