/**
 * Nebula's log, in a file instead of a pipe: if the agent dies, nebula must keep running, and a program whose output
 * pipe is broken is killed at its next line.
 */
import { EventEmitter } from "node:events";
import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";

const SIZE_MAX = 1024 * 1024;
const LINE_MAX = 64 * 1024;
const INTERVAL_MS = 250;

export class NebulaLog {
  /** File descriptor that nebula writes to. */
  readonly file: number;
  readonly lines = new EventEmitter<{ line: [string] }>();
  private readonly buffer = Buffer.alloc(LINE_MAX);
  private readonly decoder = new StringDecoder("utf8");
  private readonly timer: NodeJS.Timeout;
  private position: number;
  private incompleteLine = "";

  constructor(path: string) {
    this.lines.setMaxListeners(0);
    this.file = openSync(path, "a+", 0o600);
    this.position = fstatSync(this.file).size;
    this.timer = setInterval(() => this.drain(), INTERVAL_MS);
  }

  /** Emits all lines written since the last call. */
  drain(): void {
    for (let length = this.read(); length > 0; length = this.read()) {
      this.position += length;
      const lines = (this.incompleteLine + this.decoder.write(this.buffer.subarray(0, length))).split("\n");
      this.incompleteLine = (lines.pop() ?? "").slice(-LINE_MAX);
      for (const line of lines) this.lines.emit("line", line);
    }
    if (this.position < SIZE_MAX) return;
    ftruncateSync(this.file, 0);
    this.position = 0;
  }

  /** The last lines before those that are still to be emitted. The first one may be incomplete. */
  readEarlierLines(): string[] {
    const content = Buffer.alloc(Math.min(this.position, SIZE_MAX));
    const length = readSync(this.file, content, 0, content.length, this.position - content.length);
    return content.toString("utf8", 0, length).split("\n");
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

/** A greater number is more verbose. Unknown levels count as errors. */
export function verbosityOf(level: unknown): number {
  const name = typeof level === "string" ? level.toLowerCase() : "";
  const verbosity = LOG_LEVELS.indexOf(name === "warn" ? "warning" : name);
  return verbosity === -1 ? LOG_LEVELS.indexOf("error") : verbosity;
}

/** Nebula logs in this format until it has read its logging settings. */
const TEXT_LINE = /^time=\S+ level=(\w+) msg=(.*)$/s;

/** A line in an unknown format counts as an error: nebula prints such lines when it crashes. */
export function parseLogLine(line: string): Readonly<Record<string, unknown>> {
  const time = new Date().toISOString();
  const [, level, msg] = TEXT_LINE.exec(line) ?? [];
  if (level !== undefined) return { level, msg, time };
  try {
    const entry: unknown = JSON.parse(line);
    if (typeof entry === "object" && entry !== null) return entry as Record<string, unknown>;
  } catch {
    // Not JSON: returned as an error below.
  }
  return { level: "error", msg: line, time };
}

/** The last error in nebula's output. */
export function readErrorMessage(output: string): string | undefined {
  const lines = output.split("\n").filter((line) => line !== "");
  const errors = lines.flatMap((line) => {
    const { level, msg, error } = parseLogLine(line);
    if (verbosityOf(level) > verbosityOf("error")) return [];
    return [[msg, error].filter((part) => typeof part === "string").join(": ")];
  });
  return errors.at(-1)?.slice(0, 1000);
}
