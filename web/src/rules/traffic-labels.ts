import type { AccessTraffic } from "@lightkeeper/contract";
import { formatPorts, serviceLabel, type PortRange } from "./port-values.ts";

const list = new Intl.ListFormat("en");

/** Null stands for all ports. */
type Ports = AccessTraffic["portRange"];
type PortedProtocol = "TCP" | "UDP";

const portsOf = (traffic: readonly AccessTraffic[], protocol: AccessTraffic["protocol"]): Ports[] =>
  traffic.flatMap((one) => (one.protocol === protocol ? [one.portRange] : []));

function portsLabel(protocols: string, ports: readonly Ports[]): string {
  if (ports.includes(null)) return `all ${protocols}`;
  return `${protocols} ${list.format(ports.map(formatPorts))}`;
}

const isSame = (one: readonly Ports[], other: readonly Ports[]) =>
  one.map(formatPorts).join() === other.map(formatPorts).join();

/** TCP and UDP with the same ports are named together. */
function portedLabels(traffic: readonly AccessTraffic[]): string[] {
  const [tcp, udp] = [portsOf(traffic, "TCP"), portsOf(traffic, "UDP")];
  if (tcp.length > 0 && isSame(tcp, udp)) return [portsLabel("TCP and UDP", tcp)];
  const byProtocol: [PortedProtocol, Ports[]][] = [
    ["TCP", tcp],
    ["UDP", udp],
  ];
  return byProtocol.flatMap(([protocol, ports]) => (ports.length > 0 ? [portsLabel(protocol, ports)] : []));
}

function serviceOf(traffic: readonly AccessTraffic[]): string | undefined {
  if (traffic.some(({ protocol }) => protocol === "ICMP")) return "ping";
  const ranges = new Map(
    traffic.flatMap(({ portRange }): [string, PortRange][] =>
      portRange ? [[formatPorts(portRange), portRange]] : [],
    ),
  );
  const [range, ...others] = ranges.values();
  const protocols = new Set(traffic.map(({ protocol }) => protocol));
  if (!range || others.length > 0) return undefined;
  if (protocols.size > 1) return serviceLabel("ANY", range);
  return serviceLabel(protocols.has("UDP") ? "UDP" : "TCP", range);
}

/** "TCP 443 (HTTPS)", "TCP 80 and 443", "all UDP and ICMP", "everything", "nothing". */
export function trafficLabel(allTraffic: readonly AccessTraffic[]): string {
  if (allTraffic.length === 0) return "nothing";
  const traffic = allTraffic.filter(({ fragmentsOnly }) => !fragmentsOnly);
  if (traffic.length === 0) return "later fragments of large packets";
  const isAllowed = (protocol: AccessTraffic["protocol"]) => portsOf(traffic, protocol).includes(null);
  if (isAllowed("TCP") && isAllowed("UDP") && isAllowed("ICMP") && isAllowed("OTHER")) return "everything";
  const parts = [
    ...portedLabels(traffic),
    ...(isAllowed("ICMP") ? ["ICMP"] : []),
    ...(isAllowed("OTHER") ? ["other protocols"] : []),
  ];
  const service = parts.length === 1 ? serviceOf(traffic) : undefined;
  return list.format(parts) + (service ? ` (${service})` : "");
}

/** The well-known service at a port: "PostgreSQL". */
export const portServiceLabel = (protocol: PortedProtocol, port: number): string | undefined =>
  serviceLabel(protocol, { from: port, to: port });

/** How much a set of traffic allows. */
export type TrafficDepth = "none" | "ping" | "one" | "several" | "any";

export interface TrafficSummary {
  depth: TrafficDepth;
  /** The highest port: "443". */
  port: string;
  /** How many further ports and ranges there are. */
  more: number;
}

const shortPorts = (range: PortRange) => (range.from === range.to ? formatPorts(range) : `${range.from}…`);

/** What fits into a cell of a matrix. */
export function summarizeTraffic(allTraffic: readonly AccessTraffic[]): TrafficSummary {
  const traffic = allTraffic.filter(({ fragmentsOnly }) => !fragmentsOnly);
  const ports = [...portsOf(traffic, "TCP"), ...portsOf(traffic, "UDP")];
  if (ports.includes(null)) return { depth: "any", port: "any", more: 0 };
  const ranges = ports.filter((range) => range !== null).toSorted((one, other) => other.from - one.from);
  const [port = "", ...others] = new Set(ranges.map(shortPorts));
  if (port !== "") return { depth: others.length > 0 ? "several" : "one", port, more: others.length };
  return { depth: allTraffic.length > 0 ? "ping" : "none", port: "", more: 0 };
}
