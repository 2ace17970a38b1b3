/** Who runs the agent on a state directory: one process at a time. */
import { linkSync, readFileSync, rmSync } from "node:fs";
import { codeOf, Failure } from "./failure.ts";
import { isAlive, startOf } from "./processes.ts";
import type { StateDirectory } from "./state.ts";

const HOLDER = "run.pid";

/** The process that runs the agent there, if there is one. */
export function findRunning(state: StateDirectory): number | undefined {
  const [pid, start] = readHolder(state).split(" ");
  const isRunning = Number(pid) > 0 && isAlive(Number(pid)) && startOf(Number(pid)) === start;
  return isRunning ? Number(pid) : undefined;
}

/** Returns what gives it back. A holder that was killed does not count. */
export function lock(state: StateDirectory): () => void {
  const own = `${process.pid} ${startOf(process.pid)}`;
  const draft = `${HOLDER}.${process.pid}.unfinished`;
  state.write(draft, own);
  try {
    for (;;) {
      const running = findRunning(state);
      if (running !== undefined)
        throw new Failure(`The agent is already running on ${state.directory}: process ${running}.`);
      rmSync(state.path(HOLDER), { force: true });
      if (claim(state, draft)) break;
    }
  } finally {
    rmSync(state.path(draft), { force: true });
  }
  return () => {
    if (readHolder(state) === own) rmSync(state.path(HOLDER), { force: true });
  };
}

function claim(state: StateDirectory, draft: string): boolean {
  try {
    linkSync(state.path(draft), state.path(HOLDER));
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

function readHolder(state: StateDirectory): string {
  try {
    return readFileSync(state.path(HOLDER), "utf8");
  } catch {
    return "";
  }
}
