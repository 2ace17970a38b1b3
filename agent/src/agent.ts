/**
 * The agent's main loop. Nebula runs the server's configuration, or the last one it accepted, while the agent polls
 * the server for updates. If the server is unreachable, the network keeps running.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { STATUS_INTERVAL_SECONDS } from "@lightkeeper/contract/agent";
import type { AgentMessageType } from "@lightkeeper/contract/agent";
import { monotonicNow } from "./clock.ts";
import { CommandHandler } from "./command-handler.ts";
import { Dataplane } from "./dataplane.ts";
import { describeFailure, messageOf } from "./errors.ts";
import { earlierStates } from "./credential-generations.ts";
import { IdleMemory } from "./memory.ts";
import type { NebulaLog } from "./nebula-log.ts";
import { Nebula } from "./nebula.ts";
import { watchForReplacement } from "./nebula-replacement.ts";
import {
  backoff,
  BACKOFF_SECONDS,
  POLL_SPACING_SECONDS,
  REJECTED_BACKOFF_SECONDS,
  REPORT_WAIT_MAX_SECONDS,
} from "./backoff.ts";
import { poll } from "./poll.ts";
import type { Polled } from "./poll.ts";
import { ReportQueue } from "./report-queue.ts";
import { CredentialsRejected, RequestRejected, Server } from "./server.ts";
import type { State, StateDirectory } from "./state.ts";
import { writeStatus } from "./status.ts";
import { fetchUpdate } from "./fetch-update.ts";
import type { UpdateKind } from "./fetch-update.ts";
import { watchTunnels } from "./tunnel-watch.ts";
import { userAgent } from "./user-agent.ts";
import { version } from "./version.ts";

interface AgentOptions {
  readonly directory: StateDirectory;
  readonly path: string;
  /** Identity of the file at `path` when its version was read. */
  readonly program: string | undefined;
  readonly nebulaVersion: string | undefined;
  readonly log: NebulaLog;
  readonly print: (message: string) => void;
  readonly state: State;
}

export class Agent {
  private readonly options: AgentOptions;
  private readonly startedAt = new Date();
  private readonly nebula: Nebula;
  private readonly dataplane: Dataplane;
  private state: State;
  private readonly wasNebulaReplaced: () => Promise<boolean>;
  private server: Server;
  private lastContactAt: Date | undefined;
  private serverProblem: string | null = null;
  private pollAttempt = new AbortController();
  private readonly commands: CommandHandler;
  private readonly stopped = new AbortController();
  private isReloading = false;
  private readonly reports = new ReportQueue(async () => {
    await this.send("ReportStatus", await this.dataplane.report());
    this.recordContact();
  });
  private lastReport: Promise<void> | undefined;
  /** The server expects the next report with the next poll. */
  private reportsWithPoll = false;
  private readonly memory = new IdleMemory();

  constructor(options: AgentOptions) {
    const { directory, path, nebulaVersion, log, print, state } = options;
    this.options = options;
    this.state = state;
    this.wasNebulaReplaced = watchForReplacement(options);
    this.server = this.connect();
    this.nebula = new Nebula({
      path,
      version: nebulaVersion,
      state: directory,
      log,
      onChange: (message) => {
        print(message);
        this.saveStatus();
        void this.reports.send();
      },
    });
    this.commands = new CommandHandler({
      nebula: this.nebula,
      log,
      print,
      config: () => (this.nebula.running()?.setup ?? this.state.intended).config,
      respond: (value) => this.send("CommandResponse", value),
      stream: (value, lines) =>
        this.server.stream(this.state, "CommandResponse", value, lines, this.stopped.signal),
    });
    this.dataplane = new Dataplane({
      nebula: this.nebula,
      nebulaVersion,
      desiredState: () => this.state,
      onAccepted: ({ enrolledAt, intended }) => {
        if (enrolledAt === this.state.enrolledAt) this.saveState({ ...this.state, lastGood: intended });
      },
      onApplied: () => {
        const problem = this.dataplane.problem();
        if (problem !== null) print(problem);
        this.saveStatus();
        if (!this.reportsWithPoll) this.lastReport = this.reports.send();
      },
    });
  }

  /** Returns when `stop` is aborted or the nebula program was replaced. */
  async run(stop: AbortSignal): Promise<void> {
    const abortPoll = () => this.pollAttempt.abort();
    stop.addEventListener("abort", abortPoll);
    const { intended, lastGood } = this.state;
    await this.nebula.adopt(lastGood ? [intended, lastGood] : [intended]);
    this.saveStatus();
    const applied = this.dataplane.apply();
    const timer = setInterval(() => void this.reports.send(), STATUS_INTERVAL_SECONDS * 1000);
    const unwatch = watchTunnels(this.options.log, () => void this.reportTunnels());
    try {
      await this.poll(stop);
    } finally {
      clearInterval(timer);
      unwatch();
      this.memory.stop();
      stop.removeEventListener("abort", abortPoll);
      this.stopped.abort();
      await applied;
      await this.dataplane.stop();
      this.saveStatus();
    }
  }

  /** Switches to the enrollment that `enroll` has stored. */
  reload(): void {
    this.isReloading = true;
    this.pollAttempt.abort();
  }

  private async poll(stop: AbortSignal): Promise<void> {
    let failures = 0;
    while (!stop.aborted) {
      this.pollAttempt = new AbortController();
      const { signal } = this.pollAttempt;
      const startedAt = monotonicNow();
      let pauseSeconds = 0;
      try {
        if (this.isReloading) await this.adoptEnrollment();
        await this.pollOnce(signal);
        failures = 0;
        pauseSeconds = Math.max(0, POLL_SPACING_SECONDS - (monotonicNow() - startedAt) / 1000);
      } catch (error) {
        if (signal.aborted) continue;
        this.recordServerProblem(error);
        pauseSeconds = backoff(
          failures,
          error instanceof CredentialsRejected ? REJECTED_BACKOFF_SECONDS : BACKOFF_SECONDS,
        );
        failures += 1;
      }
      if (await this.wasNebulaReplaced()) return;
      await sleep(pauseSeconds * 1000, undefined, { signal }).catch(() => undefined);
    }
  }

  private async pollOnce(signal: AbortSignal): Promise<void> {
    const from = this.state;
    const isReporting = this.reportsWithPoll;
    this.reportsWithPoll = false;
    let polled: Polled;
    try {
      const status = isReporting ? await this.dataplane.report() : undefined;
      polled = await poll(this.server, from, status, signal);
    } catch (error) {
      // A report that the server rejects must not prevent the next poll.
      if (error instanceof RequestRejected) this.reports.isDue ||= isReporting;
      else this.reportsWithPoll = isReporting;
      if (!(error instanceof CredentialsRejected) || !(await this.recoverWithEarlierCredentials(signal)))
        throw error;
      return this.recordContact();
    }
    const { reply, next } = polled;
    const { command } = reply.action;
    if (next) await this.adoptPolled(next, reply.pauseSeconds, signal);
    else if (command === "DoUpdate" || command === "DoConfigUpdate")
      await this.updateFrom(from, command, signal);
    else if (command !== "NoOp") void this.commands.handle(reply);
    this.recordContact();
  }

  /** During a pause, the server sends the update to other hosts. */
  private async adoptPolled(state: State, pauseSeconds: number | undefined, signal: AbortSignal) {
    this.reportsWithPoll = pauseSeconds !== undefined;
    await this.adopt(state);
    await sleep((pauseSeconds ?? 0) * 1000, undefined, { signal }).catch(() => undefined);
  }

  private async updateFrom(from: State, kind: UpdateKind, signal: AbortSignal): Promise<void> {
    // The reply must be stored, so don't request one that the disk has no space for.
    this.options.directory.probe();
    await this.adopt(await fetchUpdate(kind, from, this.server, signal));
  }

  /** Stores the new state before applying it: the old signing key may stop working at any time from now on. */
  private async adopt(state: State): Promise<void> {
    this.saveState({ ...state, lastGood: this.state.lastGood });
    await this.dataplane.apply();
    // Report on the same connection before polling again: thousands of hosts may get this update at the same time.
    await Promise.race([this.lastReport, sleep(REPORT_WAIT_MAX_SECONDS * 1000, undefined, { ref: false })]);
  }

  /**
   * A server that was restored from a backup knows only credentials from before. Each generation is tried once;
   * the first that the server accepts is replaced immediately, together with the configuration and the certificate.
   */
  private async recoverWithEarlierCredentials(signal: AbortSignal): Promise<boolean> {
    for (const earlier of earlierStates(this.state)) {
      try {
        await this.updateFrom(earlier, "DoUpdate", signal);
        this.options.print("The server was restored from a backup: this host continues with earlier keys.");
        return true;
      } catch (error) {
        if (!(error instanceof CredentialsRejected)) throw error;
      }
    }
    return false;
  }

  private async adoptEnrollment(): Promise<void> {
    this.isReloading = false;
    this.state = this.options.directory.load();
    this.server = this.connect();
    // Restart instead of reload: a starting nebula registers with its lighthouses, which forgot the old certificate.
    await this.dataplane.stop();
    await this.dataplane.apply();
  }

  /** A report during a reload has no tunnels. */
  private async reportTunnels(): Promise<void> {
    await this.nebula.waitForReload();
    await this.reports.send();
  }

  /** Retries once if an update replaced the credentials while the message was in transit. */
  private async send(type: AgentMessageType, value: unknown): Promise<void> {
    const sentWith = this.state;
    try {
      await this.server.call(sentWith, type, value, this.stopped.signal);
    } catch (error) {
      if (!(error instanceof CredentialsRejected) || sentWith.counter === this.state.counter) throw error;
      await this.server.call(this.state, type, value, this.stopped.signal);
    }
  }

  private connect(): Server {
    return new Server(this.state.server, userAgent(this.options.nebulaVersion));
  }

  private saveState(state: State): void {
    this.options.directory.save(state);
    this.state = state;
  }

  private recordContact(): void {
    if (this.serverProblem !== null) this.options.print("Reconnected to the server.");
    this.serverProblem = null;
    this.lastContactAt = new Date();
    this.saveStatus();
    this.memory.releaseLater();
    if (this.reports.isDue) void this.reports.send();
  }

  /** Prints a new problem only: the request ID differs in each attempt. */
  private recordServerProblem(error: unknown): void {
    const problem = messageOf(error);
    if (problem !== this.serverProblem) this.options.print(describeFailure(error));
    this.serverProblem = problem;
    this.saveStatus();
  }

  private saveStatus(): void {
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
      this.options.print(`Can't save the agent's status: ${messageOf(error)}`);
    }
  }
}
