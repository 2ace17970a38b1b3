/**
 * Runs nebula: tests each configuration first, reloads or restarts nebula, and starts it again if it exits. A rejected
 * configuration never replaces the running one.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findAdoptable, recordNebula, terminateOrphans } from "./adoption.ts";
import { chooseApplyMethod } from "./apply-method.ts";
import { backoff, BACKOFF_SECONDS } from "./backoff.ts";
import { monotonicNow } from "./clock.ts";
import type { ConfigMap } from "./config.ts";
import { ConsoleGuard } from "./console-guard.ts";
import { createDebugConsole } from "./debug-console.ts";
import type { DebugConsole } from "./debug-console.ts";
import { systemErrorCode, AgentError, messageOf } from "./errors.ts";
import { Handshakes } from "./handshakes.ts";
import { nebulaArguments, NebulaFiles } from "./nebula-files.ts";
import type { NebulaLog } from "./nebula-log.ts";
import { spawnNebula, stopNebula, waitUntilStarted } from "./nebula-process.ts";
import type { NebulaProcess } from "./nebula-process.ts";
import { identifyProgram } from "./program-file.ts";
import type { Setup, StateDirectory } from "./state.ts";

const VERSION_SECONDS = 60;

const run = promisify(execFile);

/** For example "1.9.3"; undefined if nebula prints none. */
export async function readNebulaVersion(path: string): Promise<string | undefined> {
  try {
    const { stdout } = await run(path, ["-version"], { timeout: VERSION_SECONDS * 1000 });
    return /^Version: (\S+)/m.exec(stdout)?.[1];
  } catch (error) {
    const reason = systemErrorCode(error) === "ENOENT" ? "file not found" : messageOf(error);
    throw new AgentError(`Can't run ${path}: ${reason}. Install Nebula, or set its path with --nebula PATH.`);
  }
}

interface Running {
  readonly process: NebulaProcess;
  readonly debugConsole: DebugConsole;
  /** On the monotonic clock, in milliseconds. */
  readonly followedSince: number;
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
  private readonly files: NebulaFiles;
  private current: Running | undefined;
  private restart: NodeJS.Timeout | undefined;
  private failedStarts = 0;
  private readonly consoleGuard = new ConsoleGuard();
  private queue: Promise<unknown> = Promise.resolve();

  constructor(options: NebulaOptions) {
    this.options = options;
    this.files = new NebulaFiles(options.state);
  }

  running(): { pid: number | undefined; since: Date; setup: Setup } | undefined {
    if (!this.current) return undefined;
    const { process, setup } = this.current;
    return { pid: process.pid, since: process.since, setup };
  }

  /**
   * Continues with the nebula of a killed agent if it runs one of these configurations from this program, and
   * terminates it otherwise.
   */
  adopt(candidates: readonly Setup[]): Promise<void> {
    return this.enqueue(() => this.adoptNow(candidates));
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
    return this.consoleGuard.isReloading();
  }

  /** Waits until the debug console has been restarted. */
  waitForReload(): Promise<void> {
    return this.consoleGuard.waitForReload();
  }

  runConsoleCommand(command: string): Promise<string> {
    return this.consoleGuard.runCommand(async () => {
      if (!this.current) throw new AgentError("Nebula isn't running");
      return this.current.debugConsole.run(command);
    });
  }

  private enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.queue.then(work);
    this.queue = result.catch(() => undefined);
    return result;
  }

  /** The killed agent may have written the configuration without reloading it, and its console's key is lost. */
  private async adoptNow(candidates: readonly Setup[]): Promise<void> {
    const { state, path, log } = this.options;
    const process = findAdoptable(state, path);
    const setup = process && candidates.find((candidate) => this.files.isWrittenFor(candidate));
    if (!process || !setup) return terminateOrphans(state);
    const debugConsole = await createDebugConsole(this.files.consoleKeyPath);
    for (const line of log.readEarlierLines()) this.handshakes.record(line);
    this.watchHandshakes(process);
    // If the files can't be written, it's unknown what nebula runs, so the next configuration needs a restart.
    const running = { process, debugConsole, followedSince: monotonicNow(), setup, config: {} };
    this.follow(running);
    try {
      await this.reload(running, setup, this.files.complete(setup));
    } catch {
      // The next configuration can't be written either, which is reported.
    }
    await this.waitForReload();
  }

  private async applyNow(setup: Setup): Promise<void> {
    const { path, version } = this.options;
    const config = this.files.complete(setup);
    const { current } = this;
    const method = current ? chooseApplyMethod(version, current.config, config) : "restart";
    if (current && method === "nothing") {
      current.setup = setup;
      return;
    }
    await this.files.test(path, setup, config);
    const isReloaded = current && method === "reload" && (await this.reload(current, setup, config));
    if (!isReloaded) {
      await this.stopNow();
      await this.start(setup);
    }
    this.files.removeOtherKeys(setup);
  }

  private async start(setup: Setup): Promise<void> {
    const { path, state, log } = this.options;
    const config = this.files.complete(setup);
    const debugConsole = await createDebugConsole(this.files.consoleKeyPath);
    this.files.write(setup, config, debugConsole);
    const program = identifyProgram(path);
    const process = spawnNebula(path, nebulaArguments(state), log);
    const followedSince = monotonicNow();
    this.watchHandshakes(process);
    await waitUntilStarted(process, log);
    recordNebula(state, process, program);
    this.follow({ process, debugConsole, followedSince, setup, config });
    this.problem = null;
  }

  private watchHandshakes({ exited }: NebulaProcess): void {
    void exited.then(this.handshakes.watch(this.options.log));
  }

  /** Returns false if nebula has exited. */
  private reload(running: Running, setup: Setup, config: ConfigMap): Promise<boolean> {
    return this.consoleGuard.reload(() => {
      if (this.current !== running) return false;
      this.files.write(setup, config, running.debugConsole);
      running.process.kill("SIGHUP");
      Object.assign(running, { setup, config });
      return true;
    });
  }

  private follow(running: Running): void {
    this.current = running;
    void running.process.exited.then((reason) => this.onExit(running, reason));
  }

  private onExit(running: Running, reason: string): void {
    if (this.current !== running) return;
    const { setup, followedSince } = running;
    this.current = undefined;
    if (monotonicNow() - followedSince > BACKOFF_SECONDS.last * 1000) this.failedStarts = 0;
    this.startLater(setup, `Nebula exited (${reason}).`);
  }

  private startLater(setup: Setup, problem: string): void {
    this.problem = problem;
    this.options.onChange(problem);
    const startAgain = async () => {
      if (this.current) return;
      try {
        await this.start(setup);
        this.options.onChange("Nebula is running again.");
      } catch (error) {
        this.startLater(setup, messageOf(error));
      }
    };
    const seconds = backoff(this.failedStarts, BACKOFF_SECONDS);
    this.failedStarts += 1;
    this.restart = setTimeout(() => void this.enqueue(startAgain), seconds * 1000);
  }

  private async stopNow(): Promise<void> {
    clearTimeout(this.restart);
    const { current } = this;
    this.current = undefined;
    if (current) await stopNebula(current.process);
  }
}
