/** The process of a fleet: handles requests of its parent process. */
import { setTimeout as sleep } from "node:timers/promises";
import { userAgent } from "@lightkeeper/agent/protocol";
import { STATUS_INTERVAL_SECONDS } from "@lightkeeper/contract/agent";
import { connectTo, RequestRejected } from "@lightkeeper/demo/agents";
import { describeFailure, type Failure } from "./failures.ts";
import { FleetAgent, type FleetAgentOptions, type FleetCounts, type FleetRecords } from "./fleet-agent.ts";
import { until } from "./until.ts";

const NEBULA_VERSION = "1.9.3";
/** Statuses of a busy server. */
const BUSY = new Set([408, 503]);
const ATTEMPTS = 20;
const ATTEMPT_EVERY_MS = 3000;

export interface Counts extends FleetCounts {
  /** Agents that have polled since their last update. */
  polling: number;
  cpuSeconds: number;
}

/** The functions that the parent process can call. */
export interface FleetCalls {
  /** Enrolls and runs one agent for each code; returns the IDs of the hosts. */
  enroll(options: { url: string; codes: string[]; concurrency: number }): Promise<string[]>;
  /** Stops an agent; `startAgain` continues with what it had stored. */
  stopAgent(hostID: string): Promise<void>;
  startAgain(hostID: string): Promise<void>;
  /** From now on, the rejection of this host's agent is expected. */
  expectRejection(hostID: string): Promise<void>;
  /** The hosts of running agents, without deleted hosts. */
  runningHosts(): Promise<string[]>;
  /** The failed messages since the last call. */
  takeFailures(): Promise<Failure[]>;
  /** Creates keys in advance. */
  prepare(): Promise<void>;
  /** Waits until each agent has a configuration with this text; returns the times in order. */
  receive(text: string): Promise<number[]>;
  /** Sends status reports at the rate of real agents for this time. */
  reportFor(milliseconds: number): Promise<void>;
  counts(): Promise<Counts>;
}

export interface FleetRequest {
  id: number;
  name: keyof FleetCalls;
  input: unknown;
}
export type FleetResponse = { id: number; value: unknown } | { id: number; error: string };

interface ExpectedConfig {
  text: string;
  waiting: Set<FleetAgent>;
  times: number[];
}

/** Retries if the server is busy. */
async function enrollWithRetries(options: FleetAgentOptions, code: string): Promise<FleetAgent> {
  for (let attempt = 1; ; attempt++) {
    const startedAt = Date.now();
    try {
      return await FleetAgent.enroll(options, code);
    } catch (error) {
      const isBusy = error instanceof RequestRejected && BUSY.has(error.status);
      if (!isBusy || attempt === ATTEMPTS) {
        options.records.failures.push(describeFailure("enrollment", error, startedAt));
        throw error;
      }
      await sleep(ATTEMPT_EVERY_MS);
    }
  }
}

/** Calls `work` for each item, `concurrency` at a time. */
async function forEachConcurrently<Item>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  const runWorker = async () => {
    for (let item = queue.pop(); item !== undefined; item = queue.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: concurrency }, runWorker));
}

/** Reports one agent after the other at the rate of real agents; a later call continues where this one ended. */
function createReporting(agents: ReadonlyMap<string, FleetAgent>): (milliseconds: number) => Promise<void> {
  let turn = agents.values();
  const report = () => {
    let next = turn.next();
    if (next.done) next = (turn = agents.values()).next();
    next.value?.report();
  };
  return async (milliseconds) => {
    const timer = setInterval(report, (STATUS_INTERVAL_SECONDS * 1000) / agents.size);
    await sleep(milliseconds);
    clearInterval(timer);
  };
}

type ChurnCalls = Pick<FleetCalls, "stopAgent" | "startAgain" | "expectRejection" | "runningHosts">;

const createChurnCalls = (agents: Map<string, FleetAgent>): ChurnCalls => ({
  stopAgent: async (hostID) => agents.get(hostID)?.stop(),
  startAgain: async (hostID) => agents.get(hostID)?.startAgain(),
  async expectRejection(hostID) {
    const agent = agents.get(hostID);
    if (agent) agent.isDeleted = true;
    agents.delete(hostID);
  },
  runningHosts: async () =>
    [...agents.values()].filter(({ isRunning }) => isRunning).map(({ hostID }) => hostID),
});

function createFleet(): FleetCalls {
  const agents = new Map<string, FleetAgent>();
  const counts: FleetCounts = { sent: 0, polls: 0, failed: 0, lost: 0, lostDeleted: 0 };
  const records: FleetRecords = { counts, failures: [] };
  let expected: ExpectedConfig | undefined;

  const checkConfig = (agent: FleetAgent) => {
    if (!expected?.waiting.has(agent) || !agent.config.includes(expected.text)) return;
    expected.waiting.delete(agent);
    expected.times.push(Date.now());
  };

  return {
    async enroll({ url, codes, concurrency }) {
      const post = connectTo(url, userAgent(NEBULA_VERSION));
      const options = { post, nebulaVersion: NEBULA_VERSION, records, onUpdate: checkConfig };
      const hostIDs: string[] = [];
      await forEachConcurrently(codes, concurrency, async (code) => {
        const agent = await enrollWithRetries(options, code);
        agents.set(agent.hostID, agent);
        hostIDs.push(agent.hostID);
        agent.run();
      });
      return hostIDs;
    },
    async prepare() {
      for (const [index, agent] of [...agents.values()].entries()) {
        agent.prepare();
        if (index % 100 === 0) await sleep(0);
      }
    },
    async receive(text) {
      const { waiting, times } = (expected = { text, waiting: new Set(agents.values()), times: [] });
      agents.forEach(checkConfig);
      await until(`every agent has ${text}`, async () => {
        if (counts.lost > 0) throw new Error(`${counts.lost} agents were rejected`);
        return waiting.size === 0;
      });
      return times;
    },
    reportFor: createReporting(agents),
    ...createChurnCalls(agents),
    takeFailures: async () => records.failures.splice(0),
    async counts() {
      const { user, system } = process.cpuUsage();
      const polling = [...agents.values()].filter(({ isPolling }) => isPolling).length;
      return { ...counts, polling, cpuSeconds: (user + system) / 1e6 };
    },
  };
}

export function runFleet(): void {
  const fleet = createFleet();
  const respond = (message: FleetResponse) => void process.send?.(message);
  process.on("message", ({ id, name, input }: FleetRequest) => {
    const call = fleet[name] as (input: unknown) => Promise<unknown>;
    call(input).then(
      (value) => respond({ id, value }),
      (error: unknown) => respond({ id, error: String(error) }),
    );
  });
  process.on("disconnect", () => process.exit());
}
