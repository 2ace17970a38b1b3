/** The process of a fleet: does what its parent asks, and answers when that is done. */
import { setTimeout as sleep } from "node:timers/promises";
import { STATUS_INTERVAL_SECONDS } from "@lightkeeper/contract/agent";
import { connectTo, type Post, Refused } from "./fleet-connections.ts";
import { type Observer, SimulatedAgent, USER_AGENT } from "./simulated-agent.ts";
import { until } from "./until.ts";

/** The server, or this machine, had other things to do. */
const BUSY = new Set([408, 503]);
const ATTEMPTS = 20;
const ATTEMPT_EVERY_MS = 3000;

export interface Counts {
  /** Messages, signed. */
  sent: number;
  /** Those of them that ask for work. */
  polls: number;
  /** Those that came to nothing. */
  failed: number;
  /** Agents whose credentials were refused. */
  lost: number;
  cpuSeconds: number;
}

/** What a parent can ask of it. */
export interface FleetCalls {
  /** Makes an agent of every code and sets it to work; so many at once. */
  enroll(options: { url: string; codes: string[]; atOnce: number }): Promise<void>;
  /** Makes keys in advance. */
  prepare(): Promise<void>;
  /** When each agent has a configuration with this text: the moments they got it, the first first. */
  receive(text: string): Promise<number[]>;
  /** For so long agents say what they run, one after the other, as often as each does every five minutes. */
  reportFor(milliseconds: number): Promise<void>;
  counts(): Promise<Counts>;
}

export interface Question {
  id: number;
  name: keyof FleetCalls;
  given: unknown;
}
export type FleetAnswer = { id: number; value: unknown } | { id: number; error: string };

interface Expected {
  text: string;
  left: Set<SimulatedAgent>;
  moments: number[];
}

/** Who is told that the server is too busy keeps the code and comes again. */
async function enrollPatiently(post: Post, observer: Observer, code: string): Promise<SimulatedAgent> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await SimulatedAgent.enroll(post, observer, code);
    } catch (error) {
      const isBusy = error instanceof Refused && BUSY.has(error.status);
      if (!isBusy || attempt === ATTEMPTS) throw error;
      await sleep(ATTEMPT_EVERY_MS);
    }
  }
}

function createFleet(): FleetCalls {
  const agents: SimulatedAgent[] = [];
  const counts = { sent: 0, polls: 0, failed: 0, lost: 0 };
  let expected: Expected | undefined;

  const look = (agent: SimulatedAgent) => {
    if (!expected?.left.has(agent) || !agent.config.includes(expected.text)) return;
    expected.left.delete(agent);
    expected.moments.push(Date.now());
  };
  const observer: Observer = {
    updated: look,
    sent: (type) => {
      counts.sent++;
      if (type === "LongPollWait") counts.polls++;
    },
    failed: () => void counts.failed++,
    lost: () => void counts.lost++,
  };

  return {
    async enroll({ url, codes, atOnce }) {
      const post = connectTo(url, USER_AGENT);
      const left = [...codes];
      const work = async () => {
        for (let code = left.pop(); code !== undefined; code = left.pop()) {
          const agent = await enrollPatiently(post, observer, code);
          agents.push(agent);
          void agent.report();
          void agent.run();
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
    },
    async prepare() {
      for (const [index, agent] of agents.entries()) {
        agent.prepare();
        if (index % 100 === 0) await sleep(0);
      }
    },
    async receive(text) {
      const { left, moments } = (expected = { text, left: new Set(agents), moments: [] });
      agents.forEach(look);
      await until(`every agent has ${text}`, async () => {
        if (counts.lost > 0) throw new Error(`${counts.lost} agents were refused`);
        return left.size === 0;
      });
      return moments;
    },
    async reportFor(milliseconds) {
      let next = 0;
      const report = () => void agents[next++ % agents.length]?.report();
      const timer = setInterval(report, (STATUS_INTERVAL_SECONDS * 1000) / agents.length);
      await sleep(milliseconds);
      clearInterval(timer);
    },
    async counts() {
      const { user, system } = process.cpuUsage();
      return { ...counts, cpuSeconds: (user + system) / 1e6 };
    },
  };
}

export function runFleet(): void {
  const fleet = createFleet();
  const answer = (message: FleetAnswer) => void process.send?.(message);
  process.on("message", ({ id, name, given }: Question) => {
    const call = fleet[name] as (given: unknown) => Promise<unknown>;
    call(given).then(
      (value) => answer({ id, value }),
      (error: unknown) => answer({ id, error: String(error) }),
    );
  });
  process.on("disconnect", () => process.exit());
}
