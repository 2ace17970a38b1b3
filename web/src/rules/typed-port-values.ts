import { formatPorts, parsePorts } from "./port-values.ts";
import { services } from "./services.ts";

/** The port that a number or the name of a service stands for, or undefined. */
export function parsePort(text: string): number | undefined {
  const parsed = parsePorts(text);
  const [range, ...others] = "ranges" in parsed ? parsed.ranges : [];
  return range && others.length === 0 && range.from === range.to ? range.from : undefined;
}

const SUGGESTIONS_MAX = 8;

/** The ports to offer for a typed text: the port itself, and well-known services that match. */
export function suggestPorts(text: string): { value: string; label: string }[] {
  const typed = text.trim().toLowerCase();
  const known = services
    .filter(({ from, to }) => from === to)
    .map((service) => ({ ...service, value: formatPorts(service) }))
    .filter(({ name, label, value }) => `${name} ${label} ${value}`.toLowerCase().includes(typed))
    .slice(0, SUGGESTIONS_MAX)
    .map(({ label, value }) => ({ value, label: `${value} (${label})` }));
  const port = /^\d+$/.test(typed) ? parsePort(typed) : undefined;
  if (port === undefined || known.some(({ value }) => value === String(port))) return known;
  return [{ value: String(port), label: String(port) }, ...known];
}
