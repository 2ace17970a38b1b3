/** Nebula's log lines, as they come, for as long as somebody wants them. */
import { once } from "node:events";
import type { AgentAction } from "@lightkeeper/contract/agent";
import type { NebulaLog } from "./logs.ts";
import { LOG_LEVELS, rankOf, readLine } from "./logs.ts";

const DURATION_MAX_SECONDS = 600;
const HELD_MAX = 10_000;

export interface LogSource {
  readonly lines: NebulaLog["lines"];
  /** Of the configuration. */
  readonly level: () => string;
  readonly ask: (command: string) => Promise<string>;
}

export async function* streamLogs(
  { args }: AgentAction,
  source: LogSource,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const level = LOG_LEVELS.find((name) => name === args?.level) ?? "info";
  const durationSeconds = Math.min(Math.max(Number(args?.durationSeconds) || 0, 0), DURATION_MAX_SECONDS);
  const held: string[] = [];
  const hold = (line: string) => {
    if (line === "" || held.length >= HELD_MAX) return;
    const entry = readLine(line);
    if (rankOf(entry.level) <= rankOf(level)) held.push(`${JSON.stringify(entry)}\n`);
  };
  const over = AbortSignal.timeout(durationSeconds * 1000);
  const msg = "Log streaming session started";
  yield `${JSON.stringify({ durationSeconds, level, msg, time: new Date().toISOString() })}\n`;
  source.lines.on("line", hold);
  const lower = await raiseLevel(level, source);
  try {
    while (!over.aborted && !signal.aborted) {
      if (held.length === 0) await nextLine(source.lines, over, signal);
      if (held.length > 0) yield held.splice(0).join("");
    }
  } finally {
    source.lines.off("line", hold);
    await lower();
  }
}

/** Streams that want more than the configuration says, all at once perhaps. */
const raised: string[] = [];

/** Makes nebula say at least this much until the returned function is called. */
async function raiseLevel(
  level: string,
  { level: configured, ask }: LogSource,
): Promise<() => Promise<void>> {
  if (rankOf(level) <= rankOf(configured())) return () => Promise.resolve();
  const settle = async () => {
    const [most] = [configured(), ...raised].toSorted((a, b) => rankOf(b) - rankOf(a));
    // Without the console the stream has less to say; that is no reason to end it.
    await ask(`log-level ${most}`).catch(() => undefined);
  };
  raised.push(level);
  await settle();
  return async () => {
    raised.splice(raised.indexOf(level), 1);
    await settle();
  };
}

/** A line, or the end. */
async function nextLine(lines: NebulaLog["lines"], ...signals: AbortSignal[]): Promise<void> {
  const controller = new AbortController();
  const stop = () => controller.abort();
  for (const signal of signals) signal.addEventListener("abort", stop);
  try {
    await once(lines, "line", { signal: controller.signal });
  } catch {
    // The end.
  } finally {
    for (const signal of signals) signal.removeEventListener("abort", stop);
  }
}
