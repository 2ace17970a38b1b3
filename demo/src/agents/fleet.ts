/** Runs the agents of the demo: their tunnels, their traffic and a lighthouse that goes down and comes back. */
import { setTimeout as sleep } from "node:timers/promises";
import { type ReportStatus, STATUS_INTERVAL_SECONDS } from "@lightkeeper/contract/agent";
import type { DemoAgent } from "./demo-agent.ts";
import { type Connection, fractionOf, planConnections } from "./topology.ts";

const CHECK_MS = 10_000;
const UNSTABLE_UP_MS = 9 * 60_000;
const UNSTABLE_DOWN_MS = 5 * 60_000;
const DAY_MS = 24 * 3_600_000;

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
    for (const connection of planConnections(agents.map(({ host }) => host)))
      for (const end of connection.ends)
        this.#connections.set(end, [...(this.#connections.get(end) ?? []), connection]);
  }

  /** What a host reports about its tunnels and its traffic. */
  describe(agent: DemoAgent): Partial<ReportStatus> {
    return { tunnels: this.#tunnelsOf(agent) };
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
        agent.isRunning && peer?.isRunning && !agent.blocks(peer) && !peer.blocks(agent) && (!relay || via?.isRunning);
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
    while (await this.#pause(CHECK_MS)) {
      for (const agent of this.#agents.values()) {
        if (!agent.isRunning) continue;
        const peers = JSON.stringify(this.#tunnelsOf(agent).map(({ vpnIp }) => vpnIp));
        if (this.#reported.get(agent.key) === peers) continue;
        this.#reported.set(agent.key, peers);
        await agent.report();
      }
    }
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

const NETWORKS = ["203.0.113", "198.51.100", "192.0.2"];

function publicEndpointOf({ key, host }: DemoAgent): string {
  const network = NETWORKS[Math.floor(fractionOf(`network ${key}`) * NETWORKS.length)] ?? NETWORKS[0];
  const number = 1 + Math.floor(fractionOf(`address ${key}`) * 253);
  const port = host.is === "lighthouse" || host.is === "relay" ? 4242 : 20_000 + Math.floor(fractionOf(key) * 40_000);
  return `${network}.${number}:${port}`;
}

/** Counters that grow with the time of day and never shrink. */
export function trafficAt(key: string, atMs: number): { receivedBytes: number; sentBytes: number } {
  const day = (2 * Math.PI * atMs) / DAY_MS;
  const seconds = atMs / 1000 - 0.8 * Math.cos(day) * (DAY_MS / 1000 / (2 * Math.PI));
  const rate = (direction: string) => 200 + 60_000 * fractionOf(`${direction} ${key}`) ** 3;
  const epochSeconds = 1_750_000_000;
  const bytes = (direction: string) => Math.floor(rate(direction) * (seconds - epochSeconds));
  return { receivedBytes: bytes("received"), sentBytes: bytes("sent") };
}
