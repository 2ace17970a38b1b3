/** Labels, units and defaults of the Nebula settings that can be overridden. */
import { isOverrideKey, OVERRIDE_KINDS, type OverrideKey, type OverrideKind } from "@lightkeeper/nebula";
import { formatNumber } from "../lib/format.ts";

interface OverrideLabel {
  label: string;
  /** The unit of a number. */
  unit?: string;
  /** The default value; omitted if there is none. */
  defaultText?: string;
  /** An example of a text value. */
  example?: string;
}

export const overrideLabels: Readonly<Record<OverrideKey, OverrideLabel>> = {
  "lighthouse.dns.host": { label: "DNS listen address", defaultText: "all addresses", example: "0.0.0.0" },
  "lighthouse.dns.port": { label: "DNS port", defaultText: "53" },
  "lighthouse.serve_dns": { label: "Serve DNS from lighthouses", defaultText: "off" },
  "lighthouse.local_allow_list": {
    label: "Advertised addresses (local allow list)",
    defaultText: "all addresses of the host",
  },
  "lighthouse.remote_allow_list": { label: "Allowed remote addresses", defaultText: "all addresses" },
  "listen.batch": { label: "Receive batch size", unit: "packets", defaultText: "64" },
  "listen.read_buffer": { label: "Read buffer", unit: "bytes", defaultText: "system default" },
  "listen.write_buffer": { label: "Write buffer", unit: "bytes", defaultText: "system default" },
  "logging.format": { label: "Log format", defaultText: "text" },
  "logging.level": { label: "Log level", defaultText: "info" },
  "logging.timestamp_format": { label: "Log timestamp format", example: "2006-01-02T15:04:05Z07:00" },
  preferred_ranges: { label: "Preferred address ranges" },
  routines: { label: "Threads", unit: "threads", defaultText: "1" },
  "stats.type": { label: "Metrics exporter", defaultText: "none" },
  "stats.host": { label: "Graphite server", defaultText: "127.0.0.1:2003", example: "192.0.2.1:2003" },
  "stats.interval": { label: "Metrics interval", defaultText: "10s", example: "10s" },
  "stats.listen": {
    label: "Prometheus listen address",
    defaultText: "127.0.0.1:8080",
    example: "127.0.0.1:8080",
  },
  "stats.namespace": { label: "Metrics namespace", example: "nebula" },
  "stats.path": { label: "Prometheus path", defaultText: "/metrics", example: "/metrics" },
  "stats.prefix": { label: "Graphite prefix", defaultText: "nebula", example: "nebula" },
  "stats.subsystem": { label: "Metrics subsystem", example: "edge" },
  "stats.lighthouse_metrics": { label: "Lighthouse metrics", defaultText: "off" },
  "stats.message_metrics": { label: "Message metrics", defaultText: "off" },
  "tun.dev": { label: "Interface name", defaultText: "nebula1", example: "nebula1" },
  "tun.mtu": { label: "MTU", unit: "bytes", defaultText: "1300" },
  "tun.tx_queue": { label: "Transmit queue length", unit: "packets", defaultText: "500" },
};

export const overrideKeys = Object.keys(OVERRIDE_KINDS) as OverrideKey[];

/** A setting that this console doesn't know is shown by its key. */
export const overrideLabel = (key: string): string => (isOverrideKey(key) ? overrideLabels[key].label : key);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function formatAllowList(list: Record<string, unknown>): string {
  const { interfaces, ...ranges } = list;
  const entries = Object.entries({ ...(isRecord(interfaces) ? interfaces : {}), ...ranges });
  return entries.map(([pattern, allow]) => `${pattern} ${allow === true ? "allowed" : "denied"}`).join(", ");
}

/** Formats a value: "1,400 bytes", "on", "10.0.0.0/8 allowed". */
export function formatOverrideValue(key: string, value: unknown): string {
  if (typeof value === "boolean") return value ? "on" : "off";
  if (Array.isArray(value)) return value.join(", ") || "none";
  if (isRecord(value)) return formatAllowList(value) || "empty";
  if (typeof value === "number") {
    const unit = isOverrideKey(key) ? overrideLabels[key].unit : undefined;
    return unit ? `${formatNumber(value)} ${unit}` : String(value);
  }
  return String(value);
}

/** The value of a newly added setting. A choice starts with an option that isn't the default. */
export function initialOverrideValue(key: OverrideKey): unknown {
  const kind: OverrideKind = OVERRIDE_KINDS[key];
  const { defaultText } = overrideLabels[key];
  switch (kind.kind) {
    case "boolean":
      return true;
    case "integer":
      return Number(defaultText) || kind.min;
    case "choice":
      return kind.options.find((option) => option !== defaultText) ?? "";
    case "text":
      return "";
    case "networks":
      return [];
    case "allowList":
      return kind.hasInterfaces ? { interfaces: {} } : {};
  }
}
