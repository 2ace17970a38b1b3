/** An agent of a fleet that can be stopped and started again, like a host that is turned off for a while. */
import { type Behavior, type Post, RequestRejected, SimulatedAgent } from "@lightkeeper/demo/agents";
import { describeFailure, type Failure } from "./failures.ts";

const UNAUTHORIZED = 401;

/** What all agents of a fleet did. */
export interface FleetCounts {
  /** Signed messages. */
  sent: number;
  polls: number;
  /** Messages without a reply. */
  failed: number;
  /** Agents whose credentials were rejected, without those of deleted hosts. */
  lost: number;
  /** Agents of deleted hosts whose credentials were rejected. */
  lostDeleted: number;
}

export interface FleetRecords {
  counts: FleetCounts;
  /** Without rejected credentials: a report that overtakes the change of the agent's own key is rejected and repeated. */
  failures: Failure[];
}

export interface FleetAgentOptions {
  post: Post;
  nebulaVersion: string;
  records: FleetRecords;
  onUpdate: (agent: FleetAgent) => void;
}

export class FleetAgent {
  readonly #options: FleetAgentOptions;
  #agent: SimulatedAgent;
  #stopped: AbortController;
  /** It has polled since its last update. */
  isPolling = false;
  /** The agent of a deleted host is expected to be rejected. */
  isDeleted = false;

  private constructor(options: FleetAgentOptions, agent: SimulatedAgent, stopped: AbortController) {
    this.#options = options;
    this.#agent = agent;
    this.#stopped = stopped;
  }

  static async enroll(options: FleetAgentOptions, code: string): Promise<FleetAgent> {
    const stopped = new AbortController();
    const behavior = createBehavior(options, stopped.signal, () => fleetAgent);
    const agent = await SimulatedAgent.enroll(behavior, code);
    const fleetAgent = new FleetAgent(options, agent, stopped);
    return fleetAgent;
  }

  get hostID(): string {
    return this.#agent.state.hostID;
  }

  get config(): string {
    return this.#agent.config;
  }

  get isRunning(): boolean {
    return !this.#stopped.signal.aborted;
  }

  prepare(): void {
    this.#agent.prepare();
  }

  run(): void {
    void this.#agent.report();
    void this.#agent.run(this.#stopped.signal);
  }

  report(): void {
    if (this.isRunning) void this.#agent.report();
  }

  /** Closes the connections. A change of the agent's key may be in progress. */
  stop(): void {
    this.#stopped.abort();
  }

  /** Starts a stopped agent with what it had stored. */
  startAgain(): void {
    this.#stopped = new AbortController();
    const behavior = createBehavior(this.#options, this.#stopped.signal, () => this);
    this.#agent = SimulatedAgent.restore(behavior, this.#agent.state);
    this.run();
  }
}

function createBehavior(
  { post, nebulaVersion, records: { counts, failures }, onUpdate }: FleetAgentOptions,
  stopped: AbortSignal,
  agent: () => FleetAgent,
): Behavior {
  return {
    post: (path, body) => post(path, body, stopped),
    describeStatus: () => ({ nebulaVersion }),
    onUpdate: () => {
      agent().isPolling = false;
      onUpdate(agent());
    },
    onSend: (type) => {
      counts.sent++;
      if (type !== "LongPollWait") return;
      counts.polls++;
      agent().isPolling = true;
    },
    onFailure: (error) => {
      counts.failed++;
      if (stopped.aborted) return;
      if (error instanceof RequestRejected && error.status === UNAUTHORIZED) return;
      failures.push(describeFailure("agent message", error, Date.now()));
    },
    onLost: () => {
      if (agent().isDeleted) counts.lostDeleted++;
      else counts.lost++;
    },
  };
}
