/**
 * Runs nebula as a child process: tests each configuration first, reloads or restarts nebula, and starts it again if it
 * exits. A rejected configuration never replaces the running one.
 */
import { execFile, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { backoff, BACKOFF_SECONDS } from "./backoff.ts";
import { completeConfig, writeConfig } from "./config.ts";
import type { ConfigMap } from "./config.ts";
import { createDebugConsole } from "./debug-console.ts";
import type { DebugConsole } from "./debug-console.ts";
import { systemErrorCode, AgentError, messageOf } from "./errors.ts";
import { Handshakes } from "./handshakes.ts";
import { chooseApplyMethod } from "./apply-method.ts";
import type { NebulaLog } from "./nebula-log.ts";
import { readErrorMessage } from "./nebula-log.ts";
import { findByArguments, terminate } from "./processes.ts";
import type { Setup, StateDirectory } from "./state.ts";

const CONFIG = "nebula.yml";
const CANDIDATE = "nebula-test.yml";
const CONSOLE_KEY = "sshd.key";
const KEY = /^nebula-[0-9a-f]+\.key$/;
const TEST_SECONDS = 60;
const TEST_OUTPUT_MAX = 64 * 1024 * 1024;
const SETTLE_SECONDS = 3;
/** Nebula can still exit just after it logs that it's active, for example if its statistics port is in use. */
const CONFIRM_SECONDS = 0.5;
/** A reload restarts the debug console. Nebula 1.9 and older lose it if it is used at that moment. */
const RELOAD_SECONDS = 1;
const TERMINATE_SECONDS = 5;
const STARTED = "Nebula interface is active";

const run = promisify(execFile);

/** For example "1.9.3"; undefined if nebula prints none. */
export async function readNebulaVersion(path: string): Promise<string | undefined> {
  try {
    const { stdout } = await run(path, ["-version"], { timeout: TEST_SECONDS * 1000 });
    return /^Version: (\S+)/m.exec(stdout)?.[1];
  } catch (error) {
    const reason = systemErrorCode(error) === "ENOENT" ? "file not found" : messageOf(error);
    throw new AgentError(`Can't run ${path}: ${reason}. Install Nebula, or set its path with --nebula PATH.`);
  }
}

interface Running {
  readonly process: ChildProcess;
  readonly debugConsole: DebugConsole;
  readonly since: Date;
  /** `since` on the monotonic clock, in milliseconds. */
  readonly startedAt: number;
  setup: Setup;
  config: ConfigMap;
}

export interface NebulaOptions {
  readonly path: string;
  readonly version: string | undefined;
  readonly state: StateDirectory;
  readonly log: NebulaLog;
  /** Called when nebula exits unexpectedly and when it's running again. */
  readonly onChange: (message: string) => void;
}

export class Nebula {
  /** Why nebula isn't running although it should. */
  problem: string | null = null;
  readonly handshakes = new Handshakes();
  private readonly options: NebulaOptions;
  private current: Running | undefined;
  private restart: NodeJS.Timeout | undefined;
  private failedStarts = 0;
  /** On the monotonic clock, in milliseconds. */
  private reloadedAt = Number.NEGATIVE_INFINITY;
  private queue: Promise<unknown> = Promise.resolve();

  constructor(options: NebulaOptions) {
    this.options = options;
  }

  running(): { pid: number | undefined; since: Date; setup: Setup } | undefined {
    return (
      this.current && { pid: this.current.process.pid, since: this.current.since, setup: this.current.setup }
    );
  }

  /** Throws nebula's own error message. The previous configuration keeps running unless a restart was needed. */
  apply(setup: Setup): Promise<void> {
    return this.enqueue(() => this.applyNow(setup));
  }

  stop(): Promise<void> {
    return this.enqueue(() => this.stopNow());
  }

  /** Whether the debug console is about to be restarted. */
  isReloading(): boolean {
    return performance.now() - this.reloadedAt < RELOAD_SECONDS * 1000;
  }

  /** Waits until the debug console has been restarted. */
  async waitForReload(): Promise<void> {
    while (this.isReloading()) await sleep(RELOAD_SECONDS * 1000);
  }

  async runConsoleCommand(command: string): Promise<string> {
    await this.waitForReload();
    if (!this.current) throw new AgentError("Nebula isn't running");
    return this.current.debugConsole.run(command);
  }

  private enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.queue.then(work);
    this.queue = result.catch(() => undefined);
    return result;
  }

  private async applyNow(setup: Setup): Promise<void> {
    const { state, version } = this.options;
    const config = completeConfig(setup, state.path(keyName(setup)));
    const { current } = this;
    const method = current ? chooseApplyMethod(version, current.config, config) : "restart";
    if (current && method === "nothing") {
      current.setup = setup;
      return;
    }
    await this.check(setup, config);
    if (current && current === this.current && method === "reload") {
      this.writeFiles(setup, config, current.debugConsole);
      current.process.kill("SIGHUP");
      this.reloadedAt = performance.now();
      Object.assign(current, { setup, config });
    } else {
      await this.stopNow();
      await this.start(setup, config);
    }
    this.removeOtherKeys(setup);
  }

  /** Only the error of nebula's test is kept: its output contains the whole configuration. */
  private async check(setup: Setup, config: ConfigMap): Promise<void> {
    const { state, path } = this.options;
    state.write(keyName(setup), setup.nebulaKey);
    state.write(CANDIDATE, writeConfig(config));
    const options = { timeout: TEST_SECONDS * 1000, maxBuffer: TEST_OUTPUT_MAX };
    try {
      await run(path, ["-test", "-config", state.path(CANDIDATE)], options);
    } catch (error) {
      const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
      const message = readErrorMessage(stdout + stderr) ?? "no reason given";
      throw new AgentError(`Nebula rejected the configuration: ${message}`);
    } finally {
      rmSync(state.path(CANDIDATE), { force: true });
    }
  }

  private async start(setup: Setup, config: ConfigMap): Promise<void> {
    const { path, state, log } = this.options;
    const debugConsole = await createDebugConsole(state.path(CONSOLE_KEY));
    this.writeFiles(setup, config, debugConsole);
    const child = spawn(path, ["-config", state.path(CONFIG)], {
      stdio: ["ignore", log.file, log.file],
      detached: true,
    });
    child.once("exit", this.handshakes.watch(log));
    await waitUntilStarted(child, log);
    this.current = {
      process: child,
      debugConsole,
      since: new Date(),
      startedAt: performance.now(),
      setup,
      config,
    };
    this.problem = null;
    child.once("exit", (code, signal) => this.onExit(child, signal ?? `code ${code}`));
  }

  private onExit(child: ChildProcess, reason: string): void {
    if (this.current?.process !== child) return;
    const { setup, config, startedAt } = this.current;
    this.current = undefined;
    if (performance.now() - startedAt > BACKOFF_SECONDS.last * 1000) this.failedStarts = 0;
    this.startLater(setup, config, `Nebula exited (${reason}).`);
  }

  private startLater(setup: Setup, config: ConfigMap, problem: string): void {
    this.problem = problem;
    this.options.onChange(problem);
    const startAgain = async () => {
      if (this.current) return;
      try {
        await this.start(setup, config);
        this.options.onChange("Nebula is running again.");
      } catch (error) {
        this.startLater(setup, config, messageOf(error));
      }
    };
    const seconds = backoff(this.failedStarts, BACKOFF_SECONDS);
    this.failedStarts += 1;
    this.restart = setTimeout(() => void this.enqueue(startAgain), seconds * 1000);
  }

  private async stopNow(): Promise<void> {
    clearTimeout(this.restart);
    const child = this.current?.process;
    this.current = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), TERMINATE_SECONDS * 1000);
    await exited;
    clearTimeout(timer);
  }

  private writeFiles(setup: Setup, config: ConfigMap, debugConsole: DebugConsole): void {
    const { state } = this.options;
    state.write(CONSOLE_KEY, debugConsole.hostKey);
    state.write(keyName(setup), setup.nebulaKey);
    state.write(CONFIG, writeConfig({ ...config, sshd: debugConsole.config }));
  }

  private removeOtherKeys(setup: Setup): void {
    const { state } = this.options;
    for (const name of state.list()) {
      if (KEY.test(name) && name !== keyName(setup)) rmSync(state.path(name), { force: true });
    }
  }
}

/** Stops nebula processes of a killed agent, which block the tunnel device and the port. */
export async function terminateOrphans(state: StateDirectory): Promise<void> {
  for (const pid of findByArguments(["-config", state.path(CONFIG)])) await terminate(pid, TERMINATE_SECONDS);
}

/** The file name contains a hash of the key, so that a configuration is never used with another one's key. */
function keyName({ nebulaKey }: Setup): string {
  return `nebula-${createHash("sha256").update(nebulaKey).digest("hex").slice(0, 16)}.key`;
}

/** Resolves shortly after nebula logs that it's active, or after SETTLE_SECONDS without that line. */
async function waitUntilStarted(child: ChildProcess, log: NebulaLog): Promise<void> {
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
    await new Promise<void>((resolve, reject) => {
      confirm = resolve;
      child.on("error", reject);
      child.once("exit", (code, signal) => {
        log.drain();
        const reason = readErrorMessage(output) ?? signal ?? `code ${code}`;
        reject(new AgentError(`Nebula exited immediately: ${reason}`));
      });
    });
  } finally {
    clearTimeout(timer);
    log.lines.off("line", onLine);
  }
}
