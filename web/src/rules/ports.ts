import type { FirewallRule } from "@lightkeeper/contract";
import { findService, services } from "./services.ts";

export type PortRange = NonNullable<FirewallRule["portRange"]>;
type Protocol = FirewallRule["protocol"];

/** How "all ports" is written. */
export const ANY_PORT = "any";
const PORT_MAX = 65_535;

export const formatPorts = (range: PortRange | null): string => {
  if (range === null) return ANY_PORT;
  return range.from === range.to ? String(range.from) : `${range.from}-${range.to}`;
};

type Parsed = { range: PortRange | null } | { fault: string };

const isPort = (port: number) => port >= 1 && port <= PORT_MAX;

function parseOne(word: string): Parsed {
  if (/^(any|all|\*)$/i.test(word)) return { range: null };
  const service = findService(word);
  if (service) return { range: { from: service.from, to: service.to } };
  const [, first, last = first] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(word) ?? [];
  if (first === undefined) return { fault: `${word} is no port: write 22, 8000-8010, ssh or any.` };
  const range = { from: Number(first), to: Number(last) };
  if (!isPort(range.from) || !isPort(range.to)) return { fault: `Ports go from 1 to ${PORT_MAX}.` };
  return range.from <= range.to ? { range } : { fault: "A range goes from the smaller port to the greater." };
}

export type ParsedPorts = { ranges: (PortRange | null)[] } | { fault: string };

/** A port, a range, a service's name, `any`, or a list of them as people write lists: "22, 80,443 8000 - 8010". */
export function parsePorts(text: string): ParsedPorts {
  const words = text
    .replace(/(\d)\s*[-–—:]\s*(?=\d)/g, "$1-")
    .split(/[\s,;]+/)
    .filter(Boolean);
  if (words.length === 0) return { fault: "Say which ports: 22, 8000-8010, ssh, or any for all of them." };
  const parsed = words.map(parseOne);
  const wrong = parsed.find((one) => "fault" in one);
  if (wrong) return wrong;
  const ranges = parsed.flatMap((one) => ("range" in one ? [one.range] : []));
  const seen = new Set<string>();
  return { ranges: ranges.filter((range) => !seen.has(formatPorts(range)) && seen.add(formatPorts(range))) };
}

/** The well-known service behind exactly these ports. */
export function serviceLabel(protocol: Protocol, { from, to }: PortRange): string | undefined {
  const known = services.find(
    (service) =>
      service.from === from &&
      service.to === to &&
      (protocol === "ANY" || service.protocols.some((one) => one === protocol)),
  );
  return known?.label;
}
