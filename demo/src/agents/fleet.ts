/** Runs the agents of the demo: their tunnels, their traffic and a lighthouse that goes down and comes back. */
import { setTimeout as sleep } from "node:timers/promises";
import { type AgentAction, type ReportStatus, STATUS_INTERVAL_SECONDS } from "@lightkeeper/contract/agent";
import { type DebuggedHost, type DebugView, describeLog, respondTo } from "./debug-responses.ts";
import type { DemoAgent } from "./demo-agent.ts";
import { systemOf } from "./systems.ts";
import { fractionOf } from "../fraction.ts";
import { connectHosts, type Connection, planConnections } from "./topology.ts";
import { trafficAt } from "./traffic.ts";

const CHECK_MS = 10_000;
const UNSTABLE_UP_MS = 9 * 60_000;
const UNSTABLE_DOWN_MS = 5 * 60_000;

type Tunnels = NonNullable<ReportStatus["tunnels"]>;

export class Fleet {
  readonly #agents: Map<string, DemoAgent>;
  readonly #connections = new Map<string, Connection[]>();
  readonly #reported = new Map<string, string>();
  readonly #stop = new AbortController();
  readonly #now: () => number;

  constructor(agents: readonly DemoAgent[], now: () => number) {
    this.#now = now;
    this.#agents = new Map(agents.map((agent) => [agent.key, agent]));
    for (const connection of planConnections(agents.map(({ host }) => host))) this.#connect(connection);
  }

  /** What a host reports about its tunnels and its traffic. */
  describe(agent: DemoAgent): Partial<ReportStatus> {
    return {
      tunnels: this.#tunnelsOf(agent),
      system: systemOf(agent.key),
      traffic: trafficAt(agent.key, this.#now()),
    };
  }

  runCommand(agent: DemoAgent, action: AgentAction): unknown {
    const view = this.#debugViewOf(agent);
    return action.command === "StreamLogs" ? describeLog(view, this.#now()) : respondTo(action, view);
  }

  /** Lets the agents that should be online call the server. */
  start(): void {
    for (const agent of this.#agents.values()) {
      const { kind } = agent.host.fate;
      if (kind === "unstable") void this.#runUnstable(agent);
      else if (kind === "online" || kind === "outOfSync") void agent.run(this.#stop.signal);
    }
    void this.#reportChanges();
    void this.#reportRegularly();
  }

  stop(): void {
    this.#stop.abort();
  }

  #tunnelsOf(agent: DemoAgent): Tunnels {
    return (this.#connections.get(agent.key) ?? []).flatMap(({ ends, relay, latencyMs }) => {
      const peer = this.#agents.get(ends.find((end) => end !== agent.key) ?? "");
      const via = relay === undefined ? undefined : this.#agents.get(relay);
      const isOpen =
        agent.isRunning &&
        peer?.isRunning &&
        !agent.blocks(peer) &&
        !peer.blocks(agent) &&
        (!relay || via?.isRunning);
      if (!peer || !isOpen) return [];
      return [
        {
          vpnIp: peer.address,
          remoteAddress: via ? null : publicEndpointOf(peer),
          relays: via ? [via.address] : [],
          handshakeAt: new Date(this.#now() - fractionOf(ends.join(" ")) * 3_600_000).toISOString(),
          latencyMs,
        },
      ];
    });
  }

  #debugViewOf(agent: DemoAgent): DebugView {
    const running = [...this.#agents.values()].filter(
      ({ isRunning, host }) => isRunning && host.network === agent.host.network,
    );
    return {
      self: debuggedHostOf(agent),
      tunnels: this.#tunnelsOf(agent),
      findHost: (address) => {
        const found = running.find((candidate) => candidate.address === address);
        return found && { ...debuggedHostOf(found), endpoint: publicEndpointOf(found) };
      },
      lighthouses: running.filter(({ host }) => host.is === "lighthouse").map(({ address }) => address),
      openTunnel: (address) => {
        const peer = running.find((candidate) => candidate.address === address);
        if (!peer || peer === agent || agent.blocks(peer)) return false;
        this.#connect(connectHosts(agent.host, peer.host));
        return true;
      },
    };
  }

  #connect(connection: Connection): void {
    for (const end of connection.ends)
      this.#connections.set(end, [...(this.#connections.get(end) ?? []), connection]);
  }

  async #runUnstable(agent: DemoAgent): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const outage = new AbortController();
      const timer = setTimeout(() => outage.abort(), UNSTABLE_UP_MS);
      await agent.run(AbortSignal.any([outage.signal, this.#stop.signal]));
      clearTimeout(timer);
      await this.#pause(UNSTABLE_DOWN_MS);
    }
  }

  /** Like real agents, which report when tunnels were created or closed. */
  async #reportChanges(): Promise<void> {
    do {
      const changed = [...this.#agents.values()].filter((agent) => this.#hasOtherTunnels(agent));
      await Promise.all(changed.map((agent) => agent.report()));
    } while (await this.#pause(CHECK_MS));
  }

  /** Whether the tunnels differ from those at the last call. */
  #hasOtherTunnels(agent: DemoAgent): boolean {
    if (!agent.isRunning) return false;
    const peers = JSON.stringify(this.#tunnelsOf(agent).map(({ vpnIp }) => vpnIp));
    const isChanged = this.#reported.get(agent.key) !== peers;
    this.#reported.set(agent.key, peers);
    return isChanged;
  }

  async #reportRegularly(): Promise<void> {
    const agents = [...this.#agents.values()];
    const spacingMs = (STATUS_INTERVAL_SECONDS * 1000) / Math.max(1, agents.length);
    for (let index = 0; await this.#pause(spacingMs); index++) {
      const agent = agents[index % agents.length];
      if (agent?.isRunning) await agent.report();
    }
  }

  /** False if the fleet was stopped. */
  #pause(ms: number): Promise<boolean> {
    return sleep(ms, true, { signal: this.#stop.signal, ref: false }).catch(() => false);
  }
}

const debuggedHostOf = ({ host, address, certificate, fingerprint }: DemoAgent): DebuggedHost => ({
  name: host.name,
  address,
  certificate,
  fingerprint,
});

const NETWORKS = ["203.0.113", "198.51.100", "192.0.2"];

function publicEndpointOf({ key, host }: DemoAgent): string {
  const network = NETWORKS[Math.floor(fractionOf(`network ${key}`) * NETWORKS.length)] ?? NETWORKS[0];
  const number = 1 + Math.floor(fractionOf(`address ${key}`) * 253);
  const port =
    host.is === "lighthouse" || host.is === "relay" ? 4242 : 20_000 + Math.floor(fractionOf(key) * 40_000);
  return `${network}.${number}:${port}`;
}
