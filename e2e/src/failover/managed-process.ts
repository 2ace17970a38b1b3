/** A process that can be killed, paused and started again, with all of its descendants. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { until } from "../until.ts";
import { findUser } from "./system-users.ts";

export interface ProcessOptions {
  name: string;
  command: string;
  args: readonly string[];
  environment?: Record<string, string>;
  /** The system user who runs the process, if this program runs as root. */
  user?: string;
  logFile: string;
  /** Further processes that belong to it although they are no descendants, such as a daemon that it started. */
  findDaemons?: () => number[];
  /** Whether it serves requests. */
  isReady: (output: string) => Promise<boolean> | boolean;
}

const READY_SECONDS_MAX = 90;

/** The IDs of running processes by the ID of their parent. */
function childrenByParent(): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    const parent = parentOf(Number(name));
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  return children;
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may contain spaces.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined;
  }
}

function withDescendants(pids: readonly number[]): number[] {
  const children = childrenByParent();
  const collect = (pid: number): number[] => [pid, ...(children.get(pid) ?? []).flatMap(collect)];
  return pids.flatMap(collect);
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It has already ended.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

export class ManagedProcess {
  readonly name: string;
  readonly #options: ProcessOptions;
  #child: ChildProcess | undefined;
  #exited: Promise<number | null> = Promise.resolve(null);
  #outputStart = 0;

  constructor(options: ProcessOptions) {
    this.name = options.name;
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** What it has printed since its last start. */
  output(): string {
    return this.log().slice(this.#outputStart);
  }

  /** What it has printed since its first start. */
  log(): string {
    return readFileSync(this.#options.logFile, "utf8");
  }

  spawn(): void {
    const { command, args, environment = {}, user, logFile } = this.#options;
    const log = openSync(logFile, "a");
    this.#outputStart = this.log().length;
    const child = spawn(command, [...args], {
      env: { PATH: process.env.PATH, ...environment },
      stdio: ["ignore", log, log],
      cwd: "/",
      ...(user !== undefined && findUser(user)),
    });
    closeSync(log);
    this.#child = child;
    this.#exited = new Promise((resolve) => child.once("exit", resolve));
    // Without a listener, a missing program would end this one.
    child.once("error", () => undefined);
  }

  async start(): Promise<void> {
    this.spawn();
    await this.waitUntilReady();
  }

  async waitUntilReady(): Promise<void> {
    const isReady = async () => {
      if (!this.isRunning) throw new Error(`${this.name} didn't start:\n${this.output().slice(-3000)}`);
      return this.#options.isReady(this.output());
    };
    await until(`${this.name} is ready`, isReady, { seconds: READY_SECONDS_MAX });
  }

  /** Returns the exit code, or null if a signal ended it. */
  waitForExit(): Promise<number | null> {
    return this.#exited;
  }

  /** Stops it with a signal; returns the exit code. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    if (this.#child?.pid !== undefined && this.isRunning) sendSignal(this.#child.pid, signal);
    return this.#exited;
  }

  /** Kills it like a machine that loses power. */
  async kill(): Promise<void> {
    for (const pid of this.#pids()) sendSignal(pid, "SIGKILL");
    await this.#exited;
  }

  /** Ends it without waiting for its work, but lets its daemons free their resources. */
  async end(): Promise<void> {
    const daemons = this.#options.findDaemons?.() ?? [];
    if (this.#child?.pid !== undefined && this.isRunning) sendSignal(this.#child.pid, "SIGKILL");
    for (const pid of daemons) sendSignal(pid, "SIGQUIT");
    await this.#exited;
    const haveEnded = () => daemons.every((pid) => parentOf(pid) === undefined);
    await until(`${this.name} has ended`, haveEnded);
  }

  pause(): void {
    for (const pid of this.#pids()) sendSignal(pid, "SIGSTOP");
  }

  resume(): void {
    for (const pid of this.#pids().toReversed()) sendSignal(pid, "SIGCONT");
  }

  #pids(): number[] {
    const own = this.#child?.pid !== undefined && this.isRunning ? [this.#child.pid] : [];
    return [...new Set(withDescendants([...own, ...(this.#options.findDaemons?.() ?? [])]))];
  }
}
