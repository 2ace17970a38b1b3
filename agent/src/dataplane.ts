/** Keeps nebula on what the server wants, or, when nebula will not have it, on what it took last. */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { ReportStatus } from "@lightkeeper/contract/agent";
import { listTunnels } from "./debug.ts";
import { sentenceOf } from "./failure.ts";
import type { Nebula } from "./nebula.ts";
import type { Setup } from "./state.ts";

const RETRY_MIN_SECONDS = 1;
const RETRY_MAX_SECONDS = 60;
/** While an older configuration runs, a refusal may still be of the moment: a name that does not resolve. */
const RETRY_WHILE_RUNNING_SECONDS = 300;
const TUNNELS_MAX = 500;
const ERROR_LENGTH_MAX = 4096;

export interface Wanted {
  /** Which enrollment it belongs to. */
  readonly enrolledAt: string;
  readonly intended: Setup;
  readonly lastGood: Setup | null;
}

export interface DataplaneOptions {
  readonly nebula: Nebula;
  readonly nebulaVersion: string | undefined;
  /** Read anew at each attempt. */
  readonly wanted: () => Wanted;
  readonly onTaken: (taken: Wanted) => void;
  /** After each attempt, whatever came of it. */
  readonly onApplied: () => void;
}

export class Dataplane {
  private refusal: string | null = null;
  private readonly options: DataplaneOptions;
  private appliedAt = new Date();
  private retry: NodeJS.Timeout | undefined;
  private retrySeconds = RETRY_MIN_SECONDS;

  constructor(options: DataplaneOptions) {
    this.options = options;
  }

  async apply(): Promise<void> {
    clearTimeout(this.retry);
    const { nebula, onTaken, onApplied } = this.options;
    const wanted = this.options.wanted();
    const { intended } = wanted;
    try {
      await nebula.apply(intended);
      this.refusal = null;
      this.retrySeconds = RETRY_MIN_SECONDS;
      onTaken(wanted);
    } catch (error) {
      this.refusal = sentenceOf(error);
      // What was being applied when this one came may have been taken since.
      const { lastGood } = this.options.wanted();
      const isOther = !isDeepStrictEqual(lastGood, intended);
      if (lastGood && isOther && !nebula.running()) await this.fallBack(lastGood);
      this.applyLater();
    }
    this.appliedAt = new Date();
    onApplied();
  }

  async stop(): Promise<void> {
    clearTimeout(this.retry);
    await this.options.nebula.stop();
  }

  /** Why nebula does not run what the server wants. */
  problem(): string | null {
    return this.refusal ?? this.options.nebula.problem;
  }

  configHash(): string | null {
    const running = this.options.nebula.running();
    return running ? createHash("sha256").update(running.setup.config).digest("hex") : null;
  }

  async report(): Promise<ReportStatus> {
    const { nebula, nebulaVersion } = this.options;
    const tunnels = nebula.running() ? await listTunnels(nebula).catch(() => undefined) : [];
    return {
      configHash: this.configHash() ?? "",
      nebulaVersion: nebulaVersion ?? null,
      appliedAt: this.appliedAt.toISOString(),
      error: this.problem()?.slice(0, ERROR_LENGTH_MAX) ?? null,
      tunnels: tunnels?.slice(0, TUNNELS_MAX),
    };
  }

  private async fallBack(lastGood: Setup): Promise<void> {
    try {
      await this.options.nebula.apply(lastGood);
    } catch (error) {
      this.refusal = `${this.refusal} The one before it does not run either: ${sentenceOf(error)}`;
    }
  }

  private applyLater(): void {
    const seconds = this.options.nebula.running() ? RETRY_WHILE_RUNNING_SECONDS : this.retrySeconds;
    this.retrySeconds = Math.min(this.retrySeconds * 2, RETRY_MAX_SECONDS);
    this.retry = setTimeout(() => void this.apply(), seconds * 1000);
  }
}
