/**
 * The agent at work: nebula runs what the server wants, or what it took last, and the server is asked for news for
 * ever. When the server is gone the network stays as it is.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { LongPollReply, STATUS_INTERVAL_SECONDS } from "@lightkeeper/contract/agent";
import type { AgentMessageType } from "@lightkeeper/contract/agent";
import { Commands } from "./commands.ts";
import { Dataplane } from "./dataplane.ts";
import { debugCommands } from "./debug.ts";
import { Failure, sentenceOf } from "./failure.ts";
import { earlierStates } from "./generations.ts";
import type { NebulaLog } from "./logs.ts";
import { endOrphans, Nebula, readNebulaVersion } from "./nebula.ts";
import {
  backoff,
  BACKOFF_SECONDS,
  POLL_SPACING_SECONDS,
  REFUSED_BACKOFF_SECONDS,
  REPORT_SECONDS_MAX,
} from "./pauses.ts";
import { identifyProgram } from "./program.ts";
import { CredentialsRefused, Server } from "./server.ts";
import type { State, StateDirectory } from "./state.ts";
import { writeStatus } from "./status.ts";
import { fetchUpdate } from "./sync.ts";
import type { UpdateKind } from "./sync.ts";
import { watchTunnels } from "./tunnel-news.ts";
import { userAgent } from "./user-agent.ts";
import { version } from "./version.ts";

const SUPPORTED_ACTIONS = ["DoUpdate", "DoConfigUpdate", ...debugCommands];

interface AgentOptions {
  readonly directory: StateDirectory;
  readonly path: string;
  /** Which file that was when its version was asked for. */
  readonly program: string | undefined;
  readonly nebulaVersion: string | undefined;
  readonly log: NebulaLog;
  readonly say: (sentence: string) => void;
  readonly state: State;
}

export class Agent {
  private readonly options: AgentOptions;
  private readonly startedAt = new Date();
  private readonly nebula: Nebula;
  private readonly dataplane: Dataplane;
  private state: State;
  private program: string | undefined;
  private server: Server;
  private lastContactAt: Date | undefined;
  private serverProblem: string | null = null;
  private attempt = new AbortController();
  private readonly commands: Commands;
  private readonly halted = new AbortController();
  private isReloading = false;
  private isReportDue = false;
  private isReporting = false;
  private lastReport: Promise<void> | undefined;

  constructor(options: AgentOptions) {
    const { directory, path, nebulaVersion, log, say, state } = options;
    this.options = options;
    this.state = state;
    this.program = options.program;
    this.server = this.connect();
    this.nebula = new Nebula({
      path,
      version: nebulaVersion,
      state: directory,
      log,
      onChange: (sentence) => {
        say(sentence);
        this.tell();
        void this.report();
      },
    });
    this.commands = new Commands({
      nebula: this.nebula,
      log,
      say,
      config: () => (this.nebula.running()?.setup ?? this.state.intended).config,
      respond: (value) => this.send("CommandResponse", value),
      stream: (value, lines) =>
        this.server.stream(this.state, "CommandResponse", value, lines, this.halted.signal),
    });
    this.dataplane = new Dataplane({
      nebula: this.nebula,
      nebulaVersion,
      wanted: () => this.state,
      onTaken: ({ enrolledAt, intended }) => {
        if (enrolledAt === this.state.enrolledAt) this.keep({ ...this.state, lastGood: intended });
      },
      onApplied: () => {
        const problem = this.dataplane.problem();
        if (problem !== null) say(problem);
        this.tell();
        this.lastReport = this.report();
      },
    });
  }

  /** Until it is told to stop, or there is another nebula to run. */
  async run(stop: AbortSignal): Promise<void> {
    const halt = () => this.attempt.abort();
    stop.addEventListener("abort", halt);
    await endOrphans(this.options.directory);
    this.tell();
    const applied = this.dataplane.apply();
    const timer = setInterval(() => void this.report(), STATUS_INTERVAL_SECONDS * 1000);
    const unwatch = watchTunnels(this.options.log, () => void this.report());
    try {
      await this.poll(stop);
    } finally {
      clearInterval(timer);
      unwatch();
      stop.removeEventListener("abort", halt);
      this.halted.abort();
      await applied;
      await this.dataplane.stop();
      this.tell();
    }
  }

  /** Takes over an enrollment made meanwhile. */
  reload(): void {
    this.isReloading = true;
    this.attempt.abort();
  }

  private async poll(stop: AbortSignal): Promise<void> {
    let failures = 0;
    while (!stop.aborted) {
      this.attempt = new AbortController();
      const { signal } = this.attempt;
      const startedAt = performance.now();
      let pauseSeconds = 0;
      try {
        if (this.isReloading) await this.adoptEnrollment();
        await this.askForWork(signal);
        failures = 0;
        pauseSeconds = Math.max(0, POLL_SPACING_SECONDS - (performance.now() - startedAt) / 1000);
      } catch (error) {
        if (signal.aborted) continue;
        this.noteProblem(sentenceOf(error));
        pauseSeconds = backoff(
          failures,
          error instanceof CredentialsRefused ? REFUSED_BACKOFF_SECONDS : BACKOFF_SECONDS,
        );
        failures += 1;
      }
      if (await this.hasOtherNebula()) return;
      await sleep(pauseSeconds * 1000, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Only one that runs is worth ending the last for. */
  private async hasOtherNebula(): Promise<boolean> {
    const { path, say } = this.options;
    const program = identifyProgram(path);
    if (program === undefined || program === this.program) return false;
    this.program = program;
    try {
      say(`There is another nebula: version ${(await readNebulaVersion(path)) ?? "unknown"}.`);
      return true;
    } catch (error) {
      say(`${sentenceOf(error)} The last one goes on.`);
      return false;
    }
  }

  private async askForWork(signal: AbortSignal): Promise<void> {
    let answer: unknown;
    try {
      const value = { supportedActions: SUPPORTED_ACTIONS };
      answer = await this.server.call(this.state, "LongPollWait", value, signal);
    } catch (error) {
      if (!(error instanceof CredentialsRefused) || !(await this.useEarlierCredentials(signal))) throw error;
      return this.noteContact();
    }
    const reply = LongPollReply.safeParse(answer);
    if (!reply.success) throw new Failure("The server's answer is not in the agreed form.");
    const { command } = reply.data.action;
    if (command === "DoUpdate" || command === "DoConfigUpdate")
      await this.updateFrom(this.state, command, signal);
    else if (command !== "NoOp") void this.commands.answer(reply.data);
    this.noteContact();
  }

  /** Stored before it is applied: from then on the old signing key may stop working at any time. */
  private async updateFrom(from: State, kind: UpdateKind, signal: AbortSignal): Promise<void> {
    // A disk that could not take the answer must not ask for one.
    this.options.directory.probe();
    const state = await fetchUpdate(kind, from, this.server, signal);
    this.keep({ ...state, lastGood: this.state.lastGood });
    await this.dataplane.apply();
    // The next poll goes on the same connection: thousands may have been told of this change.
    await Promise.race([this.lastReport, sleep(REPORT_SECONDS_MAX * 1000, undefined, { ref: false })]);
  }

  /**
   * A server that was restored from a backup knows only credentials from before. Each generation is tried once;
   * the first that the server accepts is replaced immediately, together with the configuration and the certificate.
   */
  private async useEarlierCredentials(signal: AbortSignal): Promise<boolean> {
    for (const earlier of earlierStates(this.state)) {
      try {
        await this.updateFrom(earlier, "DoUpdate", signal);
        this.options.say("The server was restored from a backup: this host continues with earlier keys.");
        return true;
      } catch (error) {
        if (!(error instanceof CredentialsRefused)) throw error;
      }
    }
    return false;
  }

  private async adoptEnrollment(): Promise<void> {
    this.isReloading = false;
    this.state = this.options.directory.load();
    this.server = this.connect();
    // Started, nebula tells its lighthouses at once where it is; they forget it with its old certificate.
    await this.dataplane.stop();
    await this.dataplane.apply();
  }

  /** One at a time: what was said last must be what the server hears last. */
  private async report(): Promise<void> {
    this.isReportDue = true;
    if (this.isReporting) return;
    this.isReporting = true;
    try {
      while (this.isReportDue) {
        this.isReportDue = false;
        await this.send("ReportStatus", await this.dataplane.report());
      }
      this.noteContact();
    } catch {
      // Said again at the next contact; the poll tells of a server that is gone.
      this.isReportDue = true;
    } finally {
      this.isReporting = false;
    }
  }

  /** An update may replace the credentials while a message under the old ones is on its way. */
  private async send(type: AgentMessageType, value: unknown): Promise<void> {
    const used = this.state;
    try {
      await this.server.call(used, type, value, this.halted.signal);
    } catch (error) {
      if (!(error instanceof CredentialsRefused) || used.counter === this.state.counter) throw error;
      await this.server.call(this.state, type, value, this.halted.signal);
    }
  }

  private connect(): Server {
    return new Server(this.state.server, userAgent(this.options.nebulaVersion));
  }

  private keep(state: State): void {
    this.options.directory.save(state);
    this.state = state;
  }

  private noteContact(): void {
    if (this.serverProblem !== null) this.options.say("The server answers again.");
    this.serverProblem = null;
    this.lastContactAt = new Date();
    this.tell();
    if (this.isReportDue) void this.report();
  }

  private noteProblem(problem: string): void {
    if (problem !== this.serverProblem) this.options.say(problem);
    this.serverProblem = problem;
    this.tell();
  }

  private tell(): void {
    try {
      writeStatus(this.options.directory, {
        agentVersion: version,
        startedAt: this.startedAt.toISOString(),
        nebulaVersion: this.options.nebulaVersion ?? null,
        nebulaRunningSince: this.nebula.running()?.since.toISOString() ?? null,
        configHash: this.dataplane.configHash(),
        nebulaProblem: this.dataplane.problem(),
        lastContactAt: this.lastContactAt?.toISOString() ?? null,
        serverProblem: this.serverProblem,
        clockOffsetSeconds: this.server.clockOffsetSeconds(),
      });
    } catch (error) {
      this.options.say(`The status could not be written: ${sentenceOf(error)}`);
    }
  }
}
