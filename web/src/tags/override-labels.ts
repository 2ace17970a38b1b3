/** What people call the settings that can be overridden, and what holds while nobody does. */
import { isOverrideKey, OVERRIDE_KINDS, type OverrideKey, type OverrideKind } from "@lightkeeper/nebula";
import { formatNumber } from "../lib/format.ts";

interface Words {
  label: string;
  /** Of a number. */
  unit?: string;
  /** What holds unless something is said; left out where that is nothing. */
  otherwise?: string;
  /** How a text is written. */
  example?: string;
}

export const overrideWords: Readonly<Record<OverrideKey, Words>> = {
  "lighthouse.dns.host": { label: "DNS listens at", otherwise: "every address", example: "0.0.0.0" },
  "lighthouse.dns.port": { label: "DNS port", otherwise: "53" },
  "lighthouse.serve_dns": { label: "Lighthouse answers DNS", otherwise: "off" },
  "lighthouse.local_allow_list": {
    label: "Addresses told to lighthouses",
    otherwise: "all of the host's",
  },
  "lighthouse.remote_allow_list": { label: "Addresses used to reach others", otherwise: "all of theirs" },
  "listen.batch": { label: "Packets read at once", unit: "packets", otherwise: "64" },
  "listen.read_buffer": { label: "Read buffer", unit: "bytes", otherwise: "the system's" },
  "listen.write_buffer": { label: "Write buffer", unit: "bytes", otherwise: "the system's" },
  "logging.format": { label: "Log format", otherwise: "text" },
  "logging.level": { label: "Log level", otherwise: "info" },
  "logging.timestamp_format": { label: "Log time format", example: "2006-01-02T15:04:05Z07:00" },
  preferred_ranges: { label: "Preferred networks" },
  routines: { label: "Threads", unit: "threads", otherwise: "1" },
  "stats.type": { label: "Metrics go to", otherwise: "nowhere" },
  "stats.host": { label: "Graphite server", otherwise: "127.0.0.1:2003", example: "192.0.2.1:2003" },
  "stats.interval": { label: "Metrics interval", otherwise: "10s", example: "10s" },
  "stats.listen": { label: "Prometheus listens at", otherwise: "127.0.0.1:8080", example: "127.0.0.1:8080" },
  "stats.namespace": { label: "Metrics namespace", example: "nebula" },
  "stats.path": { label: "Prometheus path", otherwise: "/metrics", example: "/metrics" },
  "stats.prefix": { label: "Graphite prefix", otherwise: "nebula", example: "nebula" },
  "stats.subsystem": { label: "Metrics subsystem", example: "edge" },
  "stats.lighthouse_metrics": { label: "Lighthouse metrics", otherwise: "off" },
  "stats.message_metrics": { label: "Message metrics", otherwise: "off" },
  "tun.dev": { label: "Interface name", otherwise: "nebula1", example: "nebula1" },
  "tun.mtu": { label: "MTU", unit: "bytes", otherwise: "1300" },
  "tun.tx_queue": { label: "Transmit queue", unit: "packets", otherwise: "500" },
};

export const overrideKeys = Object.keys(OVERRIDE_KINDS) as OverrideKey[];

/** A setting of a newer server is shown by its key. */
export const overrideLabel = (key: string): string => (isOverrideKey(key) ? overrideWords[key].label : key);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function allowed(list: Record<string, unknown>): string {
  const { interfaces, ...networks } = list;
  const entries = Object.entries({ ...(isRecord(interfaces) ? interfaces : {}), ...networks });
  return entries.map(([what, allow]) => `${what} ${allow === true ? "allowed" : "not"}`).join(", ");
}

/** A value in words: "1,400 bytes", "on", "10.0.0.0/8 allowed". */
export function overrideValue(key: string, value: unknown): string {
  if (typeof value === "boolean") return value ? "on" : "off";
  if (Array.isArray(value)) return value.join(", ") || "none";
  if (isRecord(value)) return allowed(value) || "nothing said";
  if (typeof value === "number") {
    const unit = isOverrideKey(key) ? overrideWords[key].unit : undefined;
    return unit ? `${formatNumber(value)} ${unit}` : String(value);
  }
  return String(value);
}

/** What a setting starts as when it is added: something other than what held before, where there is a choice. */
export function firstValue(key: OverrideKey): unknown {
  const kind: OverrideKind = OVERRIDE_KINDS[key];
  const { otherwise } = overrideWords[key];
  switch (kind.kind) {
    case "boolean":
      return true;
    case "integer":
      return Number(otherwise) || kind.min;
    case "choice":
      return kind.options.find((option) => option !== otherwise) ?? "";
    case "text":
      return "";
    case "networks":
      return [];
    case "allowList":
      return kind.hasInterfaces ? { interfaces: {} } : {};
  }
}
