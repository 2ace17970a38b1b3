/** Simulated agents that enroll once, wait for changes and report. */
import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { userAgent } from "@lightkeeper/agent/protocol";
import { type Behavior, connectTo, RequestRejected, SimulatedAgent } from "@lightkeeper/demo/agents";
import { until } from "../until.ts";
import { isDeclared } from "./availability.ts";

const NEBULA_VERSION = "1.9.3";
const ENROLL_CONCURRENCY = 16;
const RECEIVE_SECONDS_MAX = 180;
const REPORT_EVERY_MS = 60_000;
const UNAUTHORIZED = 401;
/** Hosts that an error names. */
const LISTED_MAX = 10;

export interface AgentLoad {
  hostIDs: string[];
  /** Messages without a reply since the last call, and those that failed in a way that agents need not expect. */
  take: () => { failed: number; unexpected: string[] };
  /** Agents whose credentials were rejected: they would have to enroll again. */
  lostCount: () => number;
  /** Waits until every agent has a configuration with this text. */
  waitForConfig: (text: string) => Promise<void>;
  stop: () => void;
}

async function enrollAll(behavior: Behavior, codes: readonly string[]): Promise<SimulatedAgent[]> {
  const queue = [...codes];
  const agents: SimulatedAgent[] = [];
  const work = async () => {
    for (let code = queue.pop(); code !== undefined; code = queue.pop())
      agents.push(await SimulatedAgent.enroll(behavior, code));
  };
  await Promise.all(Array.from({ length: ENROLL_CONCURRENCY }, work));
  return agents;
}

/** Reports one agent after the other, each once per minute. */
async function reportInTurn(agents: readonly SimulatedAgent[], stop: AbortSignal): Promise<void> {
  for (let next = 0; !stop.aborted; next++) {
    void agents[next % agents.length]?.report();
    await sleep(REPORT_EVERY_MS / agents.length, undefined, { signal: stop }).catch(() => undefined);
  }
}

export async function startAgents(url: string, codes: readonly string[]): Promise<AgentLoad> {
  let counts = { failed: 0, unexpected: [] as string[] };
  let lost = 0;
  const behavior: Behavior = {
    post: connectTo(url, userAgent(NEBULA_VERSION)),
    describeStatus: () => ({ nebulaVersion: NEBULA_VERSION }),
    onFailure: (error) => {
      counts.failed++;
      if (!(error instanceof RequestRejected)) return;
      // A report that overtakes the change of the agent's own key is rejected and repeated.
      if (error.status !== UNAUTHORIZED && !isDeclared(error.status, error.message))
        counts.unexpected.push(`agent: ${error.message.slice(0, 200)}`);
    },
    onLost: () => lost++,
  };
  const agents = await enrollAll(behavior, codes);
  const stopped = new AbortController();
  setMaxListeners(Infinity, stopped.signal);
  for (const agent of agents) void agent.run(stopped.signal);
  void reportInTurn(agents, stopped.signal);
  return {
    hostIDs: agents.map(({ state }) => state.hostID),
    take: () => {
      const taken = counts;
      counts = { failed: 0, unexpected: [] };
      return taken;
    },
    lostCount: () => lost,
    async waitForConfig(text) {
      const findMissing = () => agents.filter(({ config }) => !config.includes(text));
      const haveAll = () => findMissing().length === 0;
      try {
        await until(`every agent has ${text}`, haveAll, { seconds: RECEIVE_SECONDS_MAX });
      } catch (error) {
        const missing = findMissing();
        const ids = missing.slice(0, LISTED_MAX).map(({ hostID }) => hostID);
        const rejected = `${lost} agents were rejected`;
        throw new Error(
          `${missing.length} of ${agents.length} agents lack ${text} (${rejected}): ${ids.join(", ")}`,
          { cause: error },
        );
      }
    },
    stop: () => stopped.abort(),
  };
}
