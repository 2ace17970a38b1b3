/** Sends the requests of the model: the server, the credentials of callers and the agents of hosts. */
import type { Client } from "@lightkeeper/contract";
import { stepRotations } from "../../features/control/ca-rotations.service.ts";
import { revokeWiderCertificates } from "../../features/control/wider-certificates.service.ts";
import type { TestServer } from "../server.ts";
import type { TestAgent } from "../test-agent.ts";

export interface Driver {
  server: TestServer;
  agentOf: (hostID: string) => TestAgent;
  clientOf: (callerID: string) => Client;
  addCredentials: (callerID: string, ...tokens: string[]) => void;
  /** Keeps the old token under another name. */
  replaceCredentials: (
    callerID: string,
    token: string,
    nameOf: (id: string, count: number) => string,
  ) => void;
  /** Forgets the credentials and agents of an earlier run. */
  reset: () => void;
  /** Milliseconds by which the server's clock was moved. */
  advancedMs: () => number;
  addAgent: (agent: TestAgent) => void;
  /** Moves the clock and runs the work that the server repeats in the background. */
  runBackground: (pauseMs: number) => Promise<void>;
}

export function createDriver(server: TestServer): Driver {
  const tokens = new Map<string, string[]>();
  const tokenCounts = new Map<string, number>();
  const agents = new Map<string, TestAgent>();
  let advancedMs = 0;
  const clientOf = (callerID: string) => server.client(...(tokens.get(callerID) ?? ["lkkey-none"]));
  return {
    server,
    clientOf,
    reset: () => {
      for (const map of [tokens, tokenCounts, agents]) map.clear();
    },
    advancedMs: () => advancedMs,
    addAgent: (agent) => {
      agent.skewMs = advancedMs;
      agents.set(agent.state.hostID, agent);
    },
    agentOf: (hostID) => {
      const agent = agents.get(hostID);
      if (!agent) throw new Error(`${hostID} has never enrolled`);
      return agent;
    },
    addCredentials: (callerID, ...added) => void tokens.set(callerID, added),
    replaceCredentials: (callerID, token, nameOf) => {
      const count = tokenCounts.get(callerID) ?? 1;
      tokens.set(nameOf(callerID, count), tokens.get(callerID) ?? []);
      tokenCounts.set(callerID, count + 1);
      tokens.set(callerID, [token]);
    },
    runBackground: async (pauseMs) => {
      server.advance(pauseMs);
      advancedMs += pauseMs;
      for (const agent of agents.values()) agent.skewMs = advancedMs;
      await revokeWiderCertificates(server.ctx);
      await stepRotations(server.ctx);
    },
  };
}
