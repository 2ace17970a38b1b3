/**
 * Allows one running agent per state directory. Each process first writes a claim file and then looks for others, so
 * that of two processes that start at the same time at least one sees the other and exits.
 */
import { existsSync, rmSync } from "node:fs";
import { AgentError } from "./errors.ts";
import { isAlive, startTimeOf } from "./processes.ts";
import type { StateDirectory } from "./state.ts";

/** Process ID and start time: the system reuses process IDs. */
const CLAIM_FILE = /^run\.(\d+)\.(\d*)\.pid$/;

const claimFileOf = (pid: number) => `run.${pid}.${startTimeOf(pid)}.pid`;

function readLivePid(name: string): number | undefined {
  const pid = Number(CLAIM_FILE.exec(name)?.[1] ?? 0);
  return pid > 0 && isAlive(pid) && claimFileOf(pid) === name ? pid : undefined;
}

/** The ID of the agent process that uses the directory, if any. */
export function findRunning(state: StateDirectory): number | undefined {
  return state
    .list()
    .map(readLivePid)
    .find((pid) => pid !== undefined);
}

/** Returns the function that unlocks. Claims of killed processes are removed. */
export function lock(state: StateDirectory): () => void {
  const claimFile = claimFileOf(process.pid);
  const alreadyRunning = (pid: number) =>
    new AgentError(`The agent is already running on ${state.directory} (process ${pid}).`);
  if (existsSync(state.path(claimFile))) throw alreadyRunning(process.pid);
  const unlock = () => rmSync(state.path(claimFile), { force: true });
  state.write(claimFile, "");
  for (const name of state.list().filter((file) => CLAIM_FILE.test(file) && file !== claimFile)) {
    const pid = readLivePid(name);
    if (pid === undefined) rmSync(state.path(name), { force: true });
    else {
      unlock();
      throw alreadyRunning(pid);
    }
  }
  return unlock;
}
