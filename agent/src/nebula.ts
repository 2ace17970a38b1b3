/**
 * Nebula as our child: checked before it gets a configuration, kept alive, told of changes by reload where that is
 * enough. It never has two configurations to choose from, and what it refused never replaces what it runs.
 */
import { execFile, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { promisify } from "node:util";
import { completeConfig, writeConfig } from "./config.ts";
import type { ConfigMap } from "./config.ts";
import { createDebugConsole } from "./debug-console.ts";
import type { DebugConsole } from "./debug-console.ts";
import { codeOf, Failure, sentenceOf } from "./failure.ts";
import { howToApply } from "./how-to-apply.ts";
import type { NebulaLog } from "./logs.ts";
import { readComplaint } from "./logs.ts";
import { end, findByArguments } from "./processes.ts";
import type { Setup, StateDirectory } from "./state.ts";

const CONFIG = "nebula.yml";
const CANDIDATE = "nebula-test.yml";
const CONSOLE_KEY = "sshd.key";
const KEY = /^nebula-[0-9a-f]+\.key$/;
const TEST_SECONDS = 60;
const TEST_OUTPUT_MAX = 64 * 1024 * 1024;
const SETTLE_SECONDS = 3;
/** A port for statistics that is taken ends it just after it has said that it is up. */
const PROBATION_SECONDS = 0.5;
const PATIENCE_SECONDS = 5;
const BACKOFF_MIN_SECONDS = 1;
const BACKOFF_MAX_SECONDS = 60;
const STARTED = "Nebula interface is active";

const run = promisify(execFile);

/** "1.9.3"; undefined when it does not say. */
export async function readNebulaVersion(path: string): Promise<string | undefined> {
  try {
    const { stdout } = await run(path, ["-version"], { timeout: TEST_SECONDS * 1000 });
    return /^Version: (\S+)/m.exec(stdout)?.[1];
  } catch (error) {
    const reason = codeOf(error) === "ENOENT" ? "it is not there" : sentenceOf(error);
    throw new Failure(`${path} cannot be run: ${reason}. Install nebula, or say where it is: --nebula PATH`);
  }
}

interface Running {
  readonly process: ChildProcess;
  readonly debugConsole: DebugConsole;
  readonly since: Date;
  /** The same by the monotonic clock, in milliseconds. */
  readonly startedAt: number;
  setup: Setup;
  config: ConfigMap;
}

export interface NebulaOptions {
  readonly path: string;
  readonly version: string | undefined;
  readonly state: StateDirectory;
  readonly log: NebulaLog;
  /** It ended by itself, or is back. */
  readonly onChange: (sentence: string) => void;
}

export class Nebula {
  /** Why it is not running although it should. */
  problem: string | null = null;
  private readonly options: NebulaOptions;
  private current: Running | undefined;
  private restart: NodeJS.Timeout | undefined;
  private backoffSeconds = BACKOFF_MIN_SECONDS;
  private queue: Promise<unknown> = Promise.resolve();

  constructor(options: NebulaOptions) {
    this.options = options;
  }

  running(): { pid: number | undefined; since: Date; setup: Setup } | undefined {
    return (
      this.current && { pid: this.current.process.pid, since: this.current.since, setup: this.current.setup }
    );
  }

  /** Rejects with nebula's own words; what ran before then still runs, unless it had to be stopped. */
  apply(setup: Setup): Promise<void> {
    return this.inTurn(() => this.applyNow(setup));
  }

  stop(): Promise<void> {
    return this.inTurn(() => this.stopNow());
  }

  /** One command for nebula's debug console. */
  async ask(command: string): Promise<string> {
    if (!this.current) throw new Failure("nebula is not running");
    return this.current.debugConsole.run(command);
  }

  private inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.queue.then(work);
    this.queue = result.catch(() => undefined);
    return result;
  }

  private async applyNow(setup: Setup): Promise<void> {
    const { state, version } = this.options;
    const config = completeConfig(setup, state.path(keyName(setup)));
    const { current } = this;
    const how = current ? howToApply(version, current.config, config) : "restart";
    if (current && how === "nothing") {
      current.setup = setup;
      return;
    }
    await this.check(setup, config);
    if (current && current === this.current && how === "reload") {
      this.writeFiles(setup, config, current.debugConsole);
      current.process.kill("SIGHUP");
      Object.assign(current, { setup, config });
    } else {
      await this.stopNow();
      await this.start(setup, config);
    }
    this.removeOtherKeys(setup);
  }

  /** Nebula's test prints the whole configuration, so only what it complains of is kept. */
  private async check(setup: Setup, config: ConfigMap): Promise<void> {
    const { state, path } = this.options;
    state.write(keyName(setup), setup.nebulaKey);
    state.write(CANDIDATE, writeConfig(config));
    const options = { timeout: TEST_SECONDS * 1000, maxBuffer: TEST_OUTPUT_MAX };
    try {
      await run(path, ["-test", "-config", state.path(CANDIDATE)], options);
    } catch (error) {
      const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
      const complaint = readComplaint(stdout + stderr) ?? "it does not say why";
      throw new Failure(`Nebula refuses the configuration: ${complaint}`);
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
    await settle(child, log);
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
    if (performance.now() - startedAt > BACKOFF_MAX_SECONDS * 1000) this.backoffSeconds = BACKOFF_MIN_SECONDS;
    this.startLater(setup, config, `Nebula ended (${reason}).`);
  }

  private startLater(setup: Setup, config: ConfigMap, problem: string): void {
    this.problem = problem;
    this.options.onChange(problem);
    const again = async () => {
      if (this.current) return;
      try {
        await this.start(setup, config);
        this.options.onChange("Nebula runs again.");
      } catch (error) {
        this.startLater(setup, config, sentenceOf(error));
      }
    };
    this.restart = setTimeout(() => void this.inTurn(again), this.backoffSeconds * 1000);
    this.backoffSeconds = Math.min(this.backoffSeconds * 2, BACKOFF_MAX_SECONDS);
  }

  private async stopNow(): Promise<void> {
    clearTimeout(this.restart);
    const child = this.current?.process;
    this.current = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_SECONDS * 1000);
    await gone;
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

/** Of an agent that was killed: its tunnel device and port would be taken. */
export async function endOrphans(state: StateDirectory): Promise<void> {
  for (const pid of findByArguments(["-config", state.path(CONFIG)])) await end(pid, PATIENCE_SECONDS);
}

/** Named after what is in it, so that a configuration never meets the key of another. */
function keyName({ nebulaKey }: Setup): string {
  return `nebula-${createHash("sha256").update(nebulaKey).digest("hex").slice(0, 16)}.key`;
}

/** Until it has outlived its saying that it is up, or has lived long enough to be believed without. */
async function settle(child: ChildProcess, log: NebulaLog): Promise<void> {
  let said = "";
  let believe: (() => void) | undefined;
  const believeIn = (seconds: number) => setTimeout(() => believe?.(), seconds * 1000);
  let timer = believeIn(SETTLE_SECONDS);
  const listen = (line: string) => {
    said += `${line}\n`;
    if (!line.includes(STARTED)) return;
    clearTimeout(timer);
    timer = believeIn(PROBATION_SECONDS);
  };
  log.lines.on("line", listen);
  try {
    await new Promise<void>((resolve, reject) => {
      believe = resolve;
      child.on("error", reject);
      child.once("exit", (code, signal) => {
        log.drain();
        reject(new Failure(`Nebula ended at once: ${readComplaint(said) ?? signal ?? `code ${code}`}`));
      });
    });
  } finally {
    clearTimeout(timer);
    log.lines.off("line", listen);
  }
}
