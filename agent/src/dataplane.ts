/** Keeps nebula on the server's configuration, or on the last good one if nebula rejects it. */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { ReportedTraffic, ReportStatus } from "@lightkeeper/contract/agent";
import { backoff, BACKOFF_SECONDS } from "./backoff.ts";
import { monotonicNow } from "./clock.ts";
import { readConfig } from "./config.ts";
import { messageOf } from "./errors.ts";
import type { Nebula } from "./nebula.ts";
import type { Setup } from "./state.ts";
import { describeSystem, readTraffic } from "./system.ts";
import { listTunnels } from "./tunnels.ts";

/** A rejection may be temporary (an unresolvable DNS name), so retry even while the last good configuration runs. */
const RETRY_WHILE_RUNNING_SECONDS = 300;
/** Not every report has the traffic: after a change, all hosts report at the same time. */
const TRAFFIC_INTERVAL_SECONDS = 60;
const ERROR_LENGTH_MAX = 4096;

export interface DesiredState {
  /** Identifies the enrollment. */
  readonly enrolledAt: string;
  readonly intended: Setup;
  readonly lastGood: Setup | null;
}

export interface DataplaneOptions {
  readonly nebula: Nebula;
  readonly nebulaVersion: string | undefined;
  /** Called at each attempt. */
  readonly desiredState: () => DesiredState;
  readonly onAccepted: (accepted: DesiredState) => void;
  /** Called after each attempt, successful or not. */
  readonly onApplied: () => void;
}

export class Dataplane {
  private rejection: string | null = null;
  private readonly options: DataplaneOptions;
  private appliedAt = new Date();
  private retry: NodeJS.Timeout | undefined;
  private failures = 0;
  private readonly system = describeSystem();
  private trafficReportedAt = Number.NEGATIVE_INFINITY;

  constructor(options: DataplaneOptions) {
    this.options = options;
  }

  async apply(): Promise<void> {
    clearTimeout(this.retry);
    const { nebula, onAccepted, onApplied } = this.options;
    const desired = this.options.desiredState();
    const { intended } = desired;
    try {
      await nebula.apply(intended);
      this.rejection = null;
      this.failures = 0;
      onAccepted(desired);
    } catch (error) {
      this.rejection = messageOf(error);
      // Read again: nebula may have accepted another configuration while this one was waiting.
      const { lastGood } = this.options.desiredState();
      const isDifferent = !isDeepStrictEqual(lastGood, intended);
      if (lastGood && isDifferent && !nebula.running()) await this.fallBack(lastGood);
      this.applyLater();
    }
    this.appliedAt = new Date();
    onApplied();
  }

  async stop(): Promise<void> {
    clearTimeout(this.retry);
    await this.options.nebula.stop();
  }

  /** Why nebula doesn't run the server's configuration. */
  problem(): string | null {
    return this.rejection ?? this.options.nebula.problem;
  }

  configHash(): string | null {
    const running = this.options.nebula.running();
    return running ? createHash("sha256").update(running.setup.config).digest("hex") : null;
  }

  async report(): Promise<ReportStatus> {
    const { nebula, nebulaVersion } = this.options;
    // A reload that closes tunnels logs that, so that they are reported later.
    const listed = nebula.isReloading() ? undefined : await listTunnels(nebula).catch(() => undefined);
    const tunnels = nebula.running() ? listed : [];
    return {
      configHash: this.configHash() ?? "",
      nebulaVersion: nebulaVersion ?? null,
      appliedAt: this.appliedAt.toISOString(),
      error: this.problem()?.slice(0, ERROR_LENGTH_MAX) ?? null,
      tunnels,
      system: this.system,
      traffic: this.nextTraffic(),
    };
  }

  /** The counters, if they are due. */
  private nextTraffic(): ReportedTraffic | undefined {
    const running = this.options.nebula.running();
    if (!running || monotonicNow() - this.trafficReportedAt < TRAFFIC_INTERVAL_SECONDS * 1000)
      return undefined;
    this.trafficReportedAt = monotonicNow();
    return readTraffic(readConfig(running.setup.config));
  }

  private async fallBack(lastGood: Setup): Promise<void> {
    try {
      await this.options.nebula.apply(lastGood);
    } catch (error) {
      this.rejection = `${this.rejection} The last good configuration can't run either: ${messageOf(error)}`;
    }
  }

  private applyLater(): void {
    const { nebula } = this.options;
    const seconds = nebula.running() ? RETRY_WHILE_RUNNING_SECONDS : backoff(this.failures, BACKOFF_SECONDS);
    this.failures += 1;
    this.retry = setTimeout(() => void this.apply(), seconds * 1000);
  }
}
