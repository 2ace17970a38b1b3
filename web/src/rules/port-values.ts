import type { FirewallRule } from "@lightkeeper/contract";
import { PORT_MAX } from "@lightkeeper/contract/limits";
import { findService, services } from "./services.ts";

export type PortRange = NonNullable<FirewallRule["portRange"]>;
type Protocol = FirewallRule["protocol"];

/** How all ports are written. */
export const ANY_PORT = "any";

export const formatPorts = (range: PortRange | null): string => {
  if (range === null) return ANY_PORT;
  return range.from === range.to ? String(range.from) : `${range.from}-${range.to}`;
};

type Parsed = { range: PortRange | null } | { problem: string };

const isPort = (port: number) => port >= 1 && port <= PORT_MAX;

function parseOne(text: string): Parsed {
  if (/^(any|all|\*)$/i.test(text)) return { range: null };
  const service = findService(text);
  if (service) return { range: { from: service.from, to: service.to } };
  const [, first, last = first] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(text) ?? [];
  if (first === undefined)
    return { problem: `${text} isn’t a valid port. Enter ports such as 22, 8000-8010, ssh or any.` };
  const range = { from: Number(first), to: Number(last) };
  if (!isPort(range.from) || !isPort(range.to)) return { problem: `Enter ports from 1 to ${PORT_MAX}.` };
  return range.from <= range.to ? { range } : { problem: "Enter a range from the lower to the higher port." };
}

export type ParsedPorts = { ranges: (PortRange | null)[] } | { problem: string };

/** Parses a port, range, service name or `any`, or a list of them: "22, 80,443 8000 - 8010". */
export function parsePorts(text: string): ParsedPorts {
  const parts = text
    .replace(/(\d)\s*[-–—:]\s*(?=\d)/g, "$1-")
    .split(/[\s,;]+/)
    .filter(Boolean);
  if (parts.length === 0) return { problem: "Enter ports such as 22, 8000-8010, ssh or any." };
  const parsed = parts.map(parseOne);
  const invalid = parsed.find((result) => "problem" in result);
  if (invalid) return invalid;
  const ranges = parsed.flatMap((result) => ("range" in result ? [result.range] : []));
  const seen = new Set<string>();
  return { ranges: ranges.filter((range) => !seen.has(formatPorts(range)) && seen.add(formatPorts(range))) };
}

/** The well-known service with exactly these ports. */
export function serviceLabel(protocol: Protocol, { from, to }: PortRange): string | undefined {
  const known = services.find(
    (service) =>
      service.from === from &&
      service.to === to &&
      (protocol === "ANY" || service.protocols.some((one) => one === protocol)),
  );
  return known?.label;
}
