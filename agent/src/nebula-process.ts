/** A nebula process: a child of this agent, or one that an earlier agent has started. */
import { spawn } from "node:child_process";
import { AgentError, messageOf } from "./errors.ts";
import type { NebulaLog } from "./nebula-log.ts";
import { readErrorMessage } from "./nebula-log.ts";
import { isAlive, sendSignal, startedAt, startTimeOf } from "./processes.ts";

const SETTLE_SECONDS = 3;
/** Nebula can still exit just after it logs that it's active, for example if its statistics port is in use. */
const CONFIRM_SECONDS = 0.5;
const TERMINATE_SECONDS = 5;
const FOLLOW_MS = 200;
const STARTED = "Nebula interface is active";

export interface NebulaProcess {
  readonly pid: number | undefined;
  readonly since: Date;
  /** Resolves with the reason, such as "SIGKILL". */
  readonly exited: Promise<string>;
  /** Does nothing if the process has exited. */
  kill(signal: NodeJS.Signals): void;
}

export function spawnNebula(path: string, args: readonly string[], log: NebulaLog): NebulaProcess {
  const child = spawn(path, args, { stdio: ["ignore", log.file, log.file], detached: true });
  const exited = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(messageOf(error)));
    child.once("exit", (code, signal) => resolve(signal ?? `code ${code}`));
  });
  return { pid: child.pid, since: new Date(), exited, kill: (signal) => void child.kill(signal) };
}

/** Follows a process that isn't a child, so that only the fact of its exit is known. */
export function followNebula(pid: number): NebulaProcess {
  const startTime = startTimeOf(pid);
  const isSame = () => isAlive(pid) && startTimeOf(pid) === startTime;
  const exited = new Promise<string>((resolve) => {
    const timer = setInterval(() => {
      if (isSame()) return;
      clearInterval(timer);
      resolve("reason unknown");
    }, FOLLOW_MS);
  });
  return { pid, since: startedAt(pid), exited, kill: (signal) => void (isSame() && sendSignal(pid, signal)) };
}

export async function stopNebula(nebula: NebulaProcess): Promise<void> {
  nebula.kill("SIGTERM");
  const timer = setTimeout(() => nebula.kill("SIGKILL"), TERMINATE_SECONDS * 1000);
  await nebula.exited;
  clearTimeout(timer);
}

/** Resolves shortly after nebula logs that it's active, or after SETTLE_SECONDS without that line. */
export async function waitUntilStarted(nebula: NebulaProcess, log: NebulaLog): Promise<void> {
  let output = "";
  let confirm: (() => void) | undefined;
  const confirmAfter = (seconds: number) => setTimeout(() => confirm?.(), seconds * 1000);
  let timer = confirmAfter(SETTLE_SECONDS);
  const onLine = (line: string) => {
    output += `${line}\n`;
    if (!line.includes(STARTED)) return;
    clearTimeout(timer);
    timer = confirmAfter(CONFIRM_SECONDS);
  };
  log.lines.on("line", onLine);
  try {
    const confirmed = new Promise<undefined>((resolve) => (confirm = () => resolve(undefined)));
    const reason = await Promise.race([confirmed, nebula.exited]);
    if (reason === undefined) return;
    log.drain();
    throw new AgentError(`Nebula exited immediately: ${readErrorMessage(output) ?? reason}`);
  } finally {
    clearTimeout(timer);
    log.lines.off("line", onLine);
  }
}
