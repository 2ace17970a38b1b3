/** Streams nebula's log until the requested time is over or the server ends the stream. */
import { once } from "node:events";
import type { AgentAction } from "@lightkeeper/contract/agent";
import type { NebulaLog } from "./nebula-log.ts";
import { LOG_LEVELS, verbosityOf, parseLogLine } from "./nebula-log.ts";

const DURATION_MAX_SECONDS = 600;
const BUFFERED_LINES_MAX = 10_000;

export interface LogSource {
  readonly lines: NebulaLog["lines"];
  /** The level set in nebula's configuration. */
  readonly level: () => string;
  readonly runConsoleCommand: (command: string) => Promise<string>;
}

export async function* streamLogs(
  { args }: AgentAction,
  source: LogSource,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const level = LOG_LEVELS.find((name) => name === args?.level) ?? "info";
  const durationSeconds = Math.min(Math.max(Number(args?.durationSeconds) || 0, 0), DURATION_MAX_SECONDS);
  const buffered: string[] = [];
  const buffer = (line: string) => {
    if (line === "" || buffered.length >= BUFFERED_LINES_MAX) return;
    const entry = parseLogLine(line);
    if (verbosityOf(entry.level) <= verbosityOf(level)) buffered.push(`${JSON.stringify(entry)}\n`);
  };
  const timeout = AbortSignal.timeout(durationSeconds * 1000);
  const msg = "Log streaming session started";
  yield `${JSON.stringify({ durationSeconds, level, msg, time: new Date().toISOString() })}\n`;
  source.lines.on("line", buffer);
  const restoreLevel = await raiseLevel(level, source);
  try {
    while (!timeout.aborted && !signal.aborted) {
      if (buffered.length === 0) await waitForLine(source.lines, timeout, signal);
      if (buffered.length > 0) yield buffered.splice(0).join("");
    }
  } finally {
    source.lines.off("line", buffer);
    await restoreLevel();
  }
}

/** Levels of all current streams that are more verbose than the configuration. */
const raisedLevels: string[] = [];

/** Raises nebula's log level until the returned function is called. */
async function raiseLevel(
  level: string,
  { level: configuredLevel, runConsoleCommand }: LogSource,
): Promise<() => Promise<void>> {
  if (verbosityOf(level) <= verbosityOf(configuredLevel())) return () => Promise.resolve();
  const setMostVerbose = async () => {
    const levels = [configuredLevel(), ...raisedLevels];
    const [mostVerbose] = levels.toSorted((a, b) => verbosityOf(b) - verbosityOf(a));
    // If the debug console is unavailable, continue with the configured level.
    await runConsoleCommand(`log-level ${mostVerbose}`).catch(() => undefined);
  };
  raisedLevels.push(level);
  await setMostVerbose();
  return async () => {
    raisedLevels.splice(raisedLevels.indexOf(level), 1);
    await setMostVerbose();
  };
}

/** Resolves at the next line or when a signal is aborted. */
async function waitForLine(lines: NebulaLog["lines"], ...signals: AbortSignal[]): Promise<void> {
  const controller = new AbortController();
  const stop = () => controller.abort();
  for (const signal of signals) signal.addEventListener("abort", stop);
  try {
    await once(lines, "line", { signal: controller.signal });
  } catch {
    // Aborted.
  } finally {
    for (const signal of signals) signal.removeEventListener("abort", stop);
  }
}
