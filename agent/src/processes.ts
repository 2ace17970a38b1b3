/** Finds and terminates other processes, with /proc where available. */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { monotonicNow } from "./clock.ts";
import { systemErrorCode } from "./errors.ts";

const POLL_MS = 50;
/** Fields of /proc/PID/stat, counted after the program's name. */
const STATE = 0;
const PARENT = 1;
const START_TIME = 19;
/** The unit of start times on every architecture. */
const TICKS_PER_SECOND = 100;

/** A zombie doesn't count as alive. */
export function isAlive(pid: number): boolean {
  return sendSignal(pid, 0) && statFieldsOf(pid)[STATE] !== "Z";
}

/** Returns false if there's no such process. */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    return systemErrorCode(error) !== "ESRCH";
  }
}

/** Distinguishes a process from a later one with the same ID. */
export function startTimeOf(pid: number): string {
  return statFieldsOf(pid)[START_TIME] ?? "";
}

export function startedAt(pid: number): Date {
  const [uptimeSeconds] = read("/proc/uptime").split(" ");
  const ageSeconds = Number(uptimeSeconds) - Number(startTimeOf(pid)) / TICKS_PER_SECOND;
  return new Date(Date.now() - ageSeconds * 1000);
}

function statFieldsOf(pid: number): string[] {
  const stat = read(`/proc/${pid}/stat`);
  // The program's name, in brackets, may contain spaces.
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** IDs of all processes that were started with exactly these arguments, without their forks. */
export function findByArguments(args: readonly string[]): number[] {
  const suffix = `\0${args.join("\0")}\0`;
  const all = list("/proc").filter((name) => /^\d+$/.test(name));
  const pids = all.filter((pid) => read(`/proc/${pid}/cmdline`).endsWith(suffix)).map(Number);
  return pids.filter((pid) => !pids.includes(Number(statFieldsOf(pid)[PARENT])));
}

/** Sends SIGTERM, then SIGKILL after the timeout; resolves when the process has exited. */
export async function terminate(pid: number, timeoutSeconds: number): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    const deadline = monotonicNow() + timeoutSeconds * 1000;
    if (!sendSignal(pid, signal)) return;
    while (isAlive(pid) && monotonicNow() < deadline) await wait(POLL_MS);
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function list(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
