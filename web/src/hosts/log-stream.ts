/** Reads a host's log while it is written, with limits on its size. */
import { raw, runHostCommand, type logLevels } from "@lightkeeper/contract";
import { api } from "../lib/api.ts";

export interface LogLine {
  /** Its position in the whole stream, including lines that were dropped. */
  number: number;
  time: string | undefined;
  level: string;
  message: string;
  /** The other fields of the entry. */
  details: string;
  /** The unparsed text. */
  source: string;
}

export interface LogRequest {
  hostID: string;
  level: (typeof logLevels)[number];
  durationSeconds: number;
  signal: AbortSignal;
}

/** Older lines are dropped. */
export const LINES_MAX = 5000;
/** Without a limit, a line that never ends would fill the memory. */
const LINE_LENGTH_MAX = 64 * 1024;

const text = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

export function parseLogLine(source: string, number: number): LogLine {
  const plain = { number, time: undefined, level: "", message: source, details: "", source };
  let parsed: unknown;
  try {
    parsed = JSON.parse(source);
  } catch {
    return plain;
  }
  if (typeof parsed !== "object" || parsed === null) return plain;
  const { time, level, msg, ...rest } = parsed as Record<string, unknown>;
  return {
    number,
    time: typeof time === "string" ? time : undefined,
    level: typeof level === "string" ? level : "",
    message: msg === undefined ? "" : text(msg),
    details: Object.entries(rest)
      .map(([key, value]) => `${key}=${text(value)}`)
      .join(" "),
    source,
  };
}

// The same call, but StreamLogs returns lines instead of an envelope.
const streamLogs = { ...runHostCommand, response: raw("application/x-ndjson") };

async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Yields lines until the time is over, the host disconnects or the signal aborts. */
export async function* readLogs({
  hostID,
  level,
  durationSeconds,
  signal,
}: LogRequest): AsyncGenerator<string> {
  const response = await api(streamLogs, {
    params: { hostID },
    body: { command: "StreamLogs", args: { durationSeconds, level } },
    signal,
  });
  if (!response.body) return;
  let rest = "";
  for await (const chunk of chunksOf(response.body)) {
    const lines = (rest + chunk).split("\n");
    rest = (lines.pop() ?? "").slice(0, LINE_LENGTH_MAX);
    for (const line of lines) if (line.trim()) yield unwrapLine(line);
  }
  if (rest.trim()) yield unwrapLine(rest);
}

/** Each line has its own envelope. */
function unwrapLine(text: string): string {
  try {
    const { data } = JSON.parse(text) as { data?: unknown };
    return typeof data === "string" ? data : text;
  } catch {
    return text;
  }
}
