/** Other processes, seen through /proc where there is one. */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { codeOf } from "./failure.ts";

const POLL_MS = 50;
/** Where things stand in a process's facts. */
const STATE = 0;
const START = 19;

/** One that has ended and that nobody has buried does not count. */
export function isAlive(pid: number): boolean {
  return send(pid, 0) && factsOf(pid)[STATE] !== "Z";
}

/** Whether there was somebody to send it to. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}

/** Tells a process from a later one that got the same number. */
export function startOf(pid: number): string {
  return factsOf(pid)[START] ?? "";
}

function factsOf(pid: number): string[] {
  const stat = read(`/proc/${pid}/stat`);
  // The name, in brackets, may hold spaces.
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** Every process that was started with exactly these arguments. */
export function findByArguments(args: readonly string[]): number[] {
  const wanted = `\0${args.join("\0")}\0`;
  const numbers = list("/proc").filter((name) => /^\d+$/.test(name));
  return numbers.filter((pid) => read(`/proc/${pid}/cmdline`).endsWith(wanted)).map(Number);
}

/** Asks first; resolves when it is gone. */
export async function end(pid: number, patienceSeconds: number): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    const deadline = performance.now() + patienceSeconds * 1000;
    if (!send(pid, signal)) return;
    while (isAlive(pid) && performance.now() < deadline) await wait(POLL_MS);
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
