/** The process of a fleet: handles requests of its parent process. */
import { setTimeout as sleep } from "node:timers/promises";
import { userAgent } from "@lightkeeper/agent/protocol";
import { STATUS_INTERVAL_SECONDS } from "@lightkeeper/contract/agent";
import { type Behavior, connectTo, RequestRejected, SimulatedAgent } from "@lightkeeper/demo/agents";
import { until } from "./until.ts";

const NEBULA_VERSION = "1.9.3";
/** Statuses of a busy server. */
const BUSY = new Set([408, 503]);
const ATTEMPTS = 20;
const ATTEMPT_EVERY_MS = 3000;

export interface Counts {
  /** Signed messages. */
  sent: number;
  polls: number;
  /** Messages without a reply. */
  failed: number;
  /** Agents whose credentials were rejected. */
  lost: number;
  cpuSeconds: number;
}

/** The functions that the parent process can call. */
export interface FleetCalls {
  /** Enrolls and runs one agent for each code. */
  enroll(options: { url: string; codes: string[]; concurrency: number }): Promise<void>;
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
  waiting: Set<SimulatedAgent>;
  times: number[];
}

/** Retries if the server is busy. */
async function enrollWithRetries(behavior: Behavior, code: string): Promise<SimulatedAgent> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await SimulatedAgent.enroll(behavior, code);
    } catch (error) {
      const isBusy = error instanceof RequestRejected && BUSY.has(error.status);
      if (!isBusy || attempt === ATTEMPTS) throw error;
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

async function reportInTurn(agents: readonly SimulatedAgent[], milliseconds: number): Promise<void> {
  let next = 0;
  const report = () => void agents[next++ % agents.length]?.report();
  const timer = setInterval(report, (STATUS_INTERVAL_SECONDS * 1000) / agents.length);
  await sleep(milliseconds);
  clearInterval(timer);
}

/** Counts what the agents do in `counts`. */
const countingBehavior = (counts: Omit<Counts, "cpuSeconds">): Omit<Behavior, "post"> => ({
  describeStatus: () => ({ nebulaVersion: NEBULA_VERSION }),
  onSend: (type) => {
    counts.sent++;
    if (type === "LongPollWait") counts.polls++;
  },
  onFailure: () => void counts.failed++,
  onLost: () => void counts.lost++,
});

function createFleet(): FleetCalls {
  const agents: SimulatedAgent[] = [];
  const counts = { sent: 0, polls: 0, failed: 0, lost: 0 };
  let expected: ExpectedConfig | undefined;

  const checkConfig = (agent: SimulatedAgent) => {
    if (!expected?.waiting.has(agent) || !agent.config.includes(expected.text)) return;
    expected.waiting.delete(agent);
    expected.times.push(Date.now());
  };
  const behavior = countingBehavior(counts);

  return {
    async enroll({ url, codes, concurrency }) {
      const post = connectTo(url, userAgent(NEBULA_VERSION));
      await forEachConcurrently(codes, concurrency, async (code) => {
        const onUpdate = () => checkConfig(agent);
        const agent = await enrollWithRetries({ ...behavior, post, onUpdate }, code);
        agents.push(agent);
        void agent.report();
        void agent.run();
      });
    },
    async prepare() {
      for (const [index, agent] of agents.entries()) {
        agent.prepare();
        if (index % 100 === 0) await sleep(0);
      }
    },
    async receive(text) {
      const { waiting, times } = (expected = { text, waiting: new Set(agents), times: [] });
      agents.forEach(checkConfig);
      await until(`every agent has ${text}`, async () => {
        if (counts.lost > 0) throw new Error(`${counts.lost} agents were rejected`);
        return waiting.size === 0;
      });
      return times;
    },
    reportFor: (milliseconds) => reportInTurn(agents, milliseconds),
    async counts() {
      const { user, system } = process.cpuUsage();
      return { ...counts, cpuSeconds: (user + system) / 1e6 };
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
