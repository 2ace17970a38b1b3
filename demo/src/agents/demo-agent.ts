/** A simulated agent of the demo, with its state on disk, so that it survives restarts like a real one. */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentAction, ReportStatus } from "@lightkeeper/contract/agent";
import { decodePem } from "@lightkeeper/nebula";
import type { PlannedHost } from "../organization/host-plan.ts";
import { connectTo } from "./connections.ts";
import { DEBUG_COMMANDS } from "./debug-responses.ts";
import { type AgentState, SimulatedAgent } from "./simulated-agent.ts";
import { keyOf } from "./topology.ts";

interface StoredAgent {
  host: PlannedHost;
  state: AgentState;
  /** PEM of the certificate in use: not every update has one. */
  certificate: string;
  /** The configuration that an agent out of sync keeps running. */
  runningConfig: string | undefined;
}

export interface AgentContext {
  directory: string;
  url: string;
  /** The current release of the agent. */
  version: string;
  now: () => number;
  /** What the host reports beside its configuration. */
  describe: (agent: DemoAgent) => Partial<ReportStatus>;
  /** The response to a debug command. */
  runCommand: (agent: DemoAgent, action: AgentAction) => unknown;
}

const OLD_VERSION = "0.0.9";
const REJECTION = "nebula -test rejected the configuration: tun.mtu 9001 is larger than the interface allows";

/** The certificate in a configuration, as the block that follows its key. */
const CERTIFICATE = /\n {2}cert: \|-?\n((?: {4}.*\n)+)/;

const certificateIn = (config: string): string | undefined =>
  CERTIFICATE.exec(config)?.[1]?.replace(/^ {4}/gm, "");

const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex");

export class DemoAgent {
  readonly host: PlannedHost;
  readonly key: string;
  isRunning = false;
  readonly #context: AgentContext;
  readonly #agent: SimulatedAgent;
  #certificate: string;
  #runningConfig: string | undefined;
  #fingerprint = "";

  private constructor(context: AgentContext, stored: Omit<StoredAgent, "state">, agent: SimulatedAgent) {
    this.#context = context;
    this.#agent = agent;
    this.host = stored.host;
    this.key = keyOf(stored.host);
    this.#certificate = stored.certificate;
    this.#runningConfig = stored.runningConfig;
    this.#readFingerprint();
  }

  static async enroll(context: AgentContext, host: PlannedHost, code: string): Promise<DemoAgent> {
    const agent: DemoAgent = await SimulatedAgent.enroll(
      behaviorOf(context, host, () => agent),
      code,
    ).then((simulated) => {
      const { config } = simulated;
      const runningConfig = host.fate.kind === "outOfSync" ? config : undefined;
      return new DemoAgent(
        context,
        { host, certificate: certificateIn(config) ?? "", runningConfig },
        simulated,
      );
    });
    agent.#save();
    return agent;
  }

  /** The agents that were enrolled at an earlier start. */
  static restoreAll(context: AgentContext): DemoAgent[] {
    mkdirSync(context.directory, { recursive: true, mode: 0o700 });
    const files = readdirSync(context.directory).filter((file) => file.endsWith(".json"));
    return files.map((file) => {
      const stored: StoredAgent = JSON.parse(readFileSync(join(context.directory, file), "utf8"));
      const simulated = SimulatedAgent.restore(
        behaviorOf(context, stored.host, () => agent),
        stored.state,
      );
      const agent = new DemoAgent(context, stored, simulated);
      return agent;
    });
  }

  get hostID(): string {
    return this.#agent.hostID;
  }

  get address(): string {
    return this.#agent.ipAddress;
  }

  get certificate(): string {
    return this.#certificate;
  }

  get fingerprint(): string {
    return this.#fingerprint;
  }

  /** Whether the agent's configuration blocks the other host's certificate. */
  blocks(other: DemoAgent): boolean {
    return this.#agent.config.includes(other.fingerprint);
  }

  /** What the host reports; an agent out of sync keeps its first configuration. */
  describeStatus() {
    const { nebulaVersion } = this.host;
    const runningConfig = this.#runningConfig;
    const isRejecting = runningConfig !== undefined && runningConfig !== this.#agent.config;
    return {
      nebulaVersion,
      ...this.#context.describe(this),
      ...(isRejecting && { configHash: sha256(runningConfig), error: REJECTION }),
    };
  }

  report = () => this.#agent.report();
  fetchUpdates = () => this.#agent.fetchUpdates();

  /** Returns when `stop` is aborted or the server has rejected the credentials. */
  async run(stop: AbortSignal): Promise<void> {
    this.isRunning = true;
    await this.#agent.run(stop);
    this.isRunning = false;
  }

  adoptUpdate(): void {
    this.#certificate = certificateIn(this.#agent.config) ?? this.#certificate;
    this.#readFingerprint();
    this.#save();
  }

  /** The server has blocked or deleted the host. */
  forget(): void {
    this.isRunning = false;
    rmSync(this.#file, { force: true });
  }

  #readFingerprint(): void {
    this.#fingerprint = sha256(decodePem("NEBULA CERTIFICATE", this.#certificate));
  }

  get #file(): string {
    return join(this.#context.directory, `${this.hostID}.json`);
  }

  /** Written before the next message, so that the server never knows a newer key than the file. */
  #save(): void {
    const { state } = this.#agent;
    const stored: StoredAgent = {
      host: this.host,
      state,
      certificate: this.#certificate,
      runningConfig: this.#runningConfig,
    };
    const temporary = `${this.#file}.new`;
    writeFileSync(temporary, JSON.stringify(stored), { mode: 0o600 });
    renameSync(temporary, this.#file);
  }
}

function behaviorOf(context: AgentContext, host: PlannedHost, agent: () => DemoAgent) {
  const version = host.hasOldAgent ? OLD_VERSION : context.version;
  return {
    post: connectTo(context.url, `lightkeeper-agent/${version} (linux; x64) nebula/${host.nebulaVersion}`),
    now: context.now,
    describeStatus: () => agent().describeStatus(),
    commands: DEBUG_COMMANDS,
    runCommand: (action: AgentAction) => context.runCommand(agent(), action),
    onUpdate: () => agent().adoptUpdate(),
    onLost: () => agent().forget(),
  };
}
