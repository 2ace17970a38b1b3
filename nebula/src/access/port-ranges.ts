// Traffic of one protocol as ranges of numbers. A rule for all ports allows more than ports 1 to 65535: it also allows
// later fragments, which have no port. They count as one more port after the last.

import type { FirewallRule } from "../firewall.ts";
import { PORT_MAX } from "../ports.ts";
import type { Traffic } from "./network.ts";

export type TrafficProtocol = Traffic["protocol"];
export const TRAFFIC_PROTOCOLS: readonly TrafficProtocol[] = ["TCP", "UDP", "ICMP", "OTHER"];

export interface PortRange {
  readonly from: number;
  readonly to: number;
}

export interface TrafficRange extends PortRange {
  readonly protocol: TrafficProtocol;
}

const FRAGMENT_PORT = PORT_MAX + 1;
const ALL_PORTS: PortRange = { from: 0, to: FRAGMENT_PORT };

export const portOf = ({ port, isFragment }: Traffic): number => (isFragment ? FRAGMENT_PORT : (port ?? 0));

/** ICMP and other protocols have no ports, so a rule with ports doesn't match them. */
export function trafficOf({ protocol, portRange }: FirewallRule): TrafficRange[] {
  if (protocol === "ICMP") return [{ protocol, ...ALL_PORTS }];
  const ports = portRange ?? ALL_PORTS;
  if (protocol !== "ANY") return [{ protocol, ...ports }];
  const protocols = portRange ? (["TCP", "UDP"] as const) : TRAFFIC_PROTOCOLS;
  return protocols.map((each) => ({ protocol: each, ...ports }));
}

/** Splits ranges at each other's ends, so that two of the results are equal or have nothing in common. */
export function splitPorts(ranges: readonly PortRange[]): PortRange[] {
  const starts = new Set(ranges.flatMap(({ from, to }) => [from, to + 1]));
  const sorted = [...starts].toSorted((a, b) => a - b);
  return sorted
    .slice(0, -1)
    .map((from, index) => ({ from, to: sorted[index + 1]! - 1 }))
    .filter((part) => ranges.some(({ from, to }) => part.from >= from && part.to <= to));
}

/** Joins adjacent and overlapping ranges. */
function joinPorts(ranges: readonly PortRange[]): PortRange[] {
  const joined: PortRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last && range.from <= last.to + 1)
      joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
    else joined.push(range);
  }
  return joined;
}

export function joinTraffic(ranges: readonly TrafficRange[]): TrafficRange[] {
  return TRAFFIC_PROTOCOLS.flatMap((protocol) =>
    joinPorts(ranges.filter((range) => range.protocol === protocol)).map((ports) => ({ protocol, ...ports })),
  );
}
