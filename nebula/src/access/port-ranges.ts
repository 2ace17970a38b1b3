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

const trafficOfRules = new WeakMap<FirewallRule, readonly TrafficRange[]>();

export function trafficOf(rule: FirewallRule): readonly TrafficRange[] {
  const known = trafficOfRules.get(rule) ?? readTraffic(rule);
  trafficOfRules.set(rule, known);
  return known;
}

/** ICMP and other protocols have no ports, so a rule with ports doesn't match them. */
function readTraffic({ protocol, portRange }: FirewallRule): TrafficRange[] {
  if (protocol === "ICMP") return [{ protocol, ...ALL_PORTS }];
  const ports = portRange ? { from: portRange.from, to: portRange.to } : ALL_PORTS;
  if (protocol !== "ANY") return [{ protocol, ...ports }];
  const protocols = portRange ? (["TCP", "UDP"] as const) : TRAFFIC_PROTOCOLS;
  return protocols.map((each) => ({ protocol: each, ...ports }));
}

const keysOfTraffic = new WeakMap<readonly TrafficRange[], string>();

/** The same text for the same ranges in the same order. */
export function trafficKey(traffic: readonly TrafficRange[]): string {
  const known = keysOfTraffic.get(traffic);
  if (known !== undefined) return known;
  const key = traffic.map(({ protocol, from, to }) => `${protocol} ${from}-${to}`).join();
  keysOfTraffic.set(traffic, key);
  return key;
}

/** What two lists of ranges have in common. */
export function intersectTraffic(
  ranges: readonly TrafficRange[],
  others: readonly TrafficRange[],
): TrafficRange[] {
  return ranges.flatMap((range) =>
    others
      .filter(({ protocol, from, to }) => protocol === range.protocol && from <= range.to && to >= range.from)
      .map(({ from, to }) => ({ ...range, from: Math.max(from, range.from), to: Math.min(to, range.to) })),
  );
}

export const overlaps = (ranges: readonly TrafficRange[], others: readonly TrafficRange[]): boolean =>
  ranges.some((range) =>
    others.some(
      ({ protocol, from, to }) => protocol === range.protocol && from <= range.to && to >= range.from,
    ),
  );

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

/** Whether the ranges together contain all of the traffic. */
export function coversTraffic(ranges: readonly TrafficRange[], traffic: readonly TrafficRange[]): boolean {
  const joined = joinTraffic(ranges);
  return traffic.every((range) =>
    joined.some(
      ({ protocol, from, to }) => protocol === range.protocol && from <= range.from && to >= range.to,
    ),
  );
}
