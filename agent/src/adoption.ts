/**
 * Finds the nebula of an agent that was killed. The agent records which process it has started from which program, so
 * that the next agent continues with exactly that process.
 */
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { nebulaArguments } from "./nebula-files.ts";
import { followNebula } from "./nebula-process.ts";
import type { NebulaProcess } from "./nebula-process.ts";
import { findByArguments, startTimeOf, terminate } from "./processes.ts";
import { identifyProgram } from "./program-file.ts";
import type { StateDirectory } from "./state.ts";

const RECORD = "nebula-process.json";
const TERMINATE_SECONDS = 5;

/** For a process that has started: one that may still fail must not be adopted. */
export function recordNebula(
  state: StateDirectory,
  { pid = 0 }: Pick<NebulaProcess, "pid">,
  program: string | undefined,
): void {
  try {
    state.write(RECORD, JSON.stringify({ pid, startTime: startTimeOf(pid), program }));
  } catch {
    // The disk may be full. A process that isn't recorded is terminated by the next agent.
  }
}

/** Returns undefined unless exactly the recorded process runs, from the program that is now at the path. */
export function findAdoptable(state: StateDirectory, path: string): NebulaProcess | undefined {
  const [pid, ...others] = findByArguments(nebulaArguments(state));
  if (pid === undefined || others.length > 0) return undefined;
  const expected = { pid, startTime: startTimeOf(pid), program: identifyProgram(path) };
  return isDeepStrictEqual(readRecord(state), expected) ? followNebula(pid) : undefined;
}

/** Stops nebula processes of a killed agent, which block the tunnel device and the port. */
export async function terminateOrphans(state: StateDirectory): Promise<void> {
  for (const pid of findByArguments(nebulaArguments(state))) await terminate(pid, TERMINATE_SECONDS);
}

function readRecord(state: StateDirectory): unknown {
  try {
    return JSON.parse(readFileSync(state.path(RECORD), "utf8"));
  } catch {
    return undefined;
  }
}
