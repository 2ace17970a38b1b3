/** Which hosts of the demo talk to each other, and how their packets travel. The same at every start. */
import type { Site } from "@lightkeeper/server/seeds";
import { fractionOf } from "../fraction.ts";
import type { PlannedHost } from "../organization/host-plan.ts";

export interface Connection {
  ends: readonly [string, string];
  /** The relay between two hosts that can't connect directly. */
  relay: string | undefined;
  latencyMs: number;
}

export const keyOf = ({ network, name }: Pick<PlannedHost, "network" | "name">) => `${network}/${name}`;

/** Round-trip times between the sites, in milliseconds. */
const LATENCIES: Record<Site, Record<Site, number>> = {
  fra: { fra: 0.6, lon: 11, nyc: 78, sfo: 146, sin: 158, syd: 271 },
  lon: { fra: 11, lon: 0.7, nyc: 69, sfo: 138, sin: 167, syd: 264 },
  nyc: { fra: 78, lon: 69, nyc: 0.5, sfo: 63, sin: 226, syd: 198 },
  sfo: { fra: 146, lon: 138, nyc: 63, sfo: 0.6, sin: 169, syd: 139 },
  sin: { fra: 158, lon: 167, nyc: 226, sfo: 169, sin: 0.7, syd: 93 },
  syd: { fra: 271, lon: 264, nyc: 198, sfo: 139, sin: 93, syd: 0.8 },
};

/** How many hosts of the second kind each host of the first kind talks to. */
const CONVERSATIONS: readonly [from: string, to: string, count: number][] = [
  ["web", "api", 3],
  ["api", "db", 2],
  ["api", "cache", 1],
  ["pay", "db", 1],
  ["worker", "db", 1],
  ["worker", "api", 1],
  ["worker", "cache", 1],
  ["db", "db", 1],
  ["metrics", "web", 6],
  ["metrics", "api", 5],
  ["metrics", "db", 3],
  ["metrics", "gateway", 1],
  ["db", "gateway", 1],
  ["bastion", "db", 2],
  ["laptop", "gateway", 1],
  ["desk", "gateway", 1],
  ["runner", "web", 1],
  ["runner", "api", 1],
];

const kindOf = ({ name }: PlannedHost) => name.split("-")[0] ?? name;

/** Prefers hosts at the same site. */
function choosePeers(host: PlannedHost, candidates: readonly PlannedHost[], count: number): PlannedHost[] {
  const distance = (peer: PlannedHost) =>
    LATENCIES[host.site][peer.site] * (0.5 + fractionOf(`${host.name} ${peer.name}`));
  return candidates
    .filter((peer) => peer !== host)
    .sort((a, b) => distance(a) - distance(b))
    .slice(0, count);
}

/** About one in ten pairs of hosts behind strict NATs. */
const needsRelay = (a: PlannedHost, b: PlannedHost) =>
  a.is === "host" && b.is === "host" && a.site !== b.site && fractionOf(`nat ${a.name} ${b.name}`) < 0.3;

export function connectHosts(
  a: PlannedHost,
  b: PlannedHost,
  relays: readonly PlannedHost[] = [],
): Connection {
  const [relay] = needsRelay(a, b) ? choosePeers(a, relays, 1) : [];
  const between = (x: PlannedHost, y: PlannedHost) => LATENCIES[x.site][y.site];
  const latency = relay ? between(a, relay) + between(relay, b) : between(a, b);
  return {
    ends: [keyOf(a), keyOf(b)],
    relay: relay && keyOf(relay),
    latencyMs: Math.round(latency * (1 + 0.2 * fractionOf(`${a.name} ${b.name}`)) * 10) / 10,
  };
}

export function planConnections(hosts: readonly PlannedHost[]): Connection[] {
  const connections = new Map<string, Connection>();
  for (const host of hosts) {
    const neighbors = hosts.filter(({ network }) => network === host.network);
    const relays = neighbors.filter(({ is }) => is === "relay");
    const peers = [
      ...(host.is === "lighthouse" ? [] : neighbors.filter(({ is }) => is === "lighthouse")),
      ...CONVERSATIONS.filter(([from]) => from === kindOf(host)).flatMap(([, to, count]) =>
        choosePeers(
          host,
          neighbors.filter((peer) => kindOf(peer) === to),
          count,
        ),
      ),
    ];
    for (const peer of peers) {
      const id = [keyOf(host), keyOf(peer)].sort().join(" ");
      if (!connections.has(id)) connections.set(id, connectHosts(host, peer, relays));
    }
  }
  // A relayed tunnel needs a tunnel from each end to the relay.
  const byKey = new Map(hosts.map((host) => [keyOf(host), host]));
  for (const { ends, relay } of connections.values()) {
    for (const end of relay ? ends : []) {
      const id = [end, relay].sort().join(" ");
      const [a, b] = [byKey.get(end), byKey.get(relay ?? "")];
      if (a && b && !connections.has(id)) connections.set(id, connectHosts(a, b));
    }
  }
  return [...connections.values()];
}
