/**
 * Who runs the agent on a state directory: one process at a time. Each claims it with a file of its own name and
 * looks for others only then, so that of two who come at once at least one sees the other and leaves.
 */
import { existsSync, rmSync } from "node:fs";
import { Failure } from "./failure.ts";
import { isAlive, startOf } from "./processes.ts";
import type { StateDirectory } from "./state.ts";

/** Its number, and when it started: numbers are given again. */
const CLAIM = /^run\.(\d+)\.(\d*)\.pid$/;

const claimOf = (pid: number) => `run.${pid}.${startOf(pid)}.pid`;

function holderOf(name: string): number | undefined {
  const pid = Number(CLAIM.exec(name)?.[1] ?? 0);
  return pid > 0 && isAlive(pid) && claimOf(pid) === name ? pid : undefined;
}

/** The process that runs the agent there, if there is one. */
export function findRunning(state: StateDirectory): number | undefined {
  return state
    .list()
    .map(holderOf)
    .find((pid) => pid !== undefined);
}

/** Returns what gives it back. A holder that was killed does not count. */
export function lock(state: StateDirectory): () => void {
  const own = claimOf(process.pid);
  const refuse = (pid: number) =>
    new Failure(`The agent is already running on ${state.directory}: process ${pid}.`);
  if (existsSync(state.path(own))) throw refuse(process.pid);
  const unlock = () => rmSync(state.path(own), { force: true });
  state.write(own, "");
  for (const name of state.list().filter((other) => CLAIM.test(other) && other !== own)) {
    const holder = holderOf(name);
    if (holder === undefined) rmSync(state.path(name), { force: true });
    else {
      unlock();
      throw refuse(holder);
    }
  }
  return unlock;
}
