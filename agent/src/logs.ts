/**
 * Nebula's log. It goes to a file, not a pipe: a program whose pipe is broken dies at its next line, and the
 * network must not end because the agent did.
 */
import { EventEmitter } from "node:events";
import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";

const SIZE_MAX = 1024 * 1024;
const LINE_MAX = 64 * 1024;
const INTERVAL_MS = 250;

export class NebulaLog {
  /** For the child to write to. */
  readonly file: number;
  readonly lines = new EventEmitter<{ line: [string] }>();
  private readonly buffer = Buffer.alloc(LINE_MAX);
  private readonly decoder = new StringDecoder("utf8");
  private readonly timer: NodeJS.Timeout;
  private position: number;
  private rest = "";

  constructor(path: string) {
    this.lines.setMaxListeners(0);
    this.file = openSync(path, "a+", 0o600);
    this.position = fstatSync(this.file).size;
    this.timer = setInterval(() => this.drain(), INTERVAL_MS);
  }

  /** Tells every line that has come since the last time. */
  drain(): void {
    for (let length = this.read(); length > 0; length = this.read()) {
      this.position += length;
      const lines = (this.rest + this.decoder.write(this.buffer.subarray(0, length))).split("\n");
      this.rest = (lines.pop() ?? "").slice(-LINE_MAX);
      for (const line of lines) this.lines.emit("line", line);
    }
    if (this.position < SIZE_MAX) return;
    ftruncateSync(this.file, 0);
    this.position = 0;
  }

  close(): void {
    clearInterval(this.timer);
    this.drain();
    closeSync(this.file);
  }

  private read(): number {
    return readSync(this.file, this.buffer, 0, this.buffer.length, this.position);
  }
}

export const LOG_LEVELS: readonly string[] = ["panic", "fatal", "error", "warning", "info", "debug"];

/** Greater is more talkative; what is no level counts as an error. */
export function rankOf(level: unknown): number {
  const name = typeof level === "string" ? level.toLowerCase() : "";
  const rank = LOG_LEVELS.indexOf(name === "warn" ? "warning" : name);
  return rank === -1 ? LOG_LEVELS.indexOf("error") : rank;
}

/** As text it logs only before it has read how to log. */
const TEXT_LINE = /^time=\S+ level=(\w+) msg=(.*)$/s;

/** A line in no format is nebula's last word before it fell over. */
export function readLine(line: string): Readonly<Record<string, unknown>> {
  const time = new Date().toISOString();
  const [, level, msg] = TEXT_LINE.exec(line) ?? [];
  if (level !== undefined) return { level, msg, time };
  try {
    const entry: unknown = JSON.parse(line);
    if (typeof entry === "object" && entry !== null) return entry as Record<string, unknown>;
  } catch {
    // Told as text below.
  }
  return { level: "error", msg: line, time };
}

/** What nebula said was wrong, of everything it said. */
export function readComplaint(output: string): string | undefined {
  const lines = output.split("\n").filter((line) => line !== "");
  const complaints = lines.flatMap((line) => {
    const { level, msg, error } = readLine(line);
    if (rankOf(level) > rankOf("error")) return [];
    return [[msg, error].filter((part) => typeof part === "string").join(": ")];
  });
  return complaints.at(-1)?.slice(0, 1000);
}
