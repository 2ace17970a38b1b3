// The Nebula settings that tags and hosts may override, each with its type. Every supported version of Nebula accepts
// valid values.

import { isIpv4, parseIpPrefix } from "./ip-prefixes.ts";
import { TEXT_FORMATS, isInterfacePattern } from "./override-formats.ts";
import type { TextFormatName } from "./override-formats.ts";
import { PORT_MAX } from "./ports.ts";

export type OverrideKind =
  | { readonly kind: "boolean" }
  | { readonly kind: "integer"; readonly min: number; readonly max: number }
  | { readonly kind: "choice"; readonly options: readonly string[] }
  | { readonly kind: "text"; readonly format: TextFormatName }
  | { readonly kind: "networks"; readonly maxItems: number }
  | { readonly kind: "allowList"; readonly hasInterfaces: boolean; readonly maxItems: number };

export interface ConfigOverride {
  readonly key: string;
  readonly value: unknown;
}

const ITEMS_MAX = 256;
const BUFFER_MAX = 2 ** 31 - 1;

export const OVERRIDE_KINDS = {
  "lighthouse.dns.host": { kind: "text", format: "address" },
  "lighthouse.dns.port": { kind: "integer", min: 1, max: PORT_MAX },
  "lighthouse.serve_dns": { kind: "boolean" },
  "lighthouse.local_allow_list": { kind: "allowList", hasInterfaces: true, maxItems: ITEMS_MAX },
  "lighthouse.remote_allow_list": { kind: "allowList", hasInterfaces: false, maxItems: ITEMS_MAX },
  "listen.batch": { kind: "integer", min: 1, max: 1024 },
  "listen.read_buffer": { kind: "integer", min: 1, max: BUFFER_MAX },
  "listen.write_buffer": { kind: "integer", min: 1, max: BUFFER_MAX },
  "logging.format": { kind: "choice", options: ["text", "json"] },
  "logging.level": { kind: "choice", options: ["panic", "fatal", "error", "warning", "info", "debug"] },
  "logging.timestamp_format": { kind: "text", format: "timestampLayout" },
  preferred_ranges: { kind: "networks", maxItems: ITEMS_MAX },
  routines: { kind: "integer", min: 1, max: 64 },
  "stats.type": { kind: "choice", options: ["graphite", "prometheus"] },
  "stats.host": { kind: "text", format: "hostAndPort" },
  "stats.interval": { kind: "text", format: "duration" },
  "stats.listen": { kind: "text", format: "listenAddress" },
  "stats.namespace": { kind: "text", format: "metricName" },
  "stats.path": { kind: "text", format: "urlPath" },
  "stats.prefix": { kind: "text", format: "metricPrefix" },
  "stats.subsystem": { kind: "text", format: "metricName" },
  "stats.lighthouse_metrics": { kind: "boolean" },
  "stats.message_metrics": { kind: "boolean" },
  "tun.dev": { kind: "text", format: "interfaceName" },
  "tun.mtu": { kind: "integer", min: 576, max: 9000 },
  "tun.tx_queue": { kind: "integer", min: 1, max: 100_000 },
} as const satisfies Record<string, OverrideKind>;

export type OverrideKey = keyof typeof OVERRIDE_KINDS;

export function isOverrideKey(key: string): key is OverrideKey {
  return Object.hasOwn(OVERRIDE_KINDS, key);
}

/** Returns the problem as a sentence, or undefined if the override is valid. */
export function validateOverride(key: string, value: unknown): string | undefined {
  if (!isOverrideKey(key)) return "This setting can't be overridden.";
  return validateKind(OVERRIDE_KINDS[key], value);
}

function validateKind(kind: OverrideKind, value: unknown): string | undefined {
  switch (kind.kind) {
    case "boolean":
      return typeof value === "boolean" ? undefined : "Must be true or false.";
    case "integer":
      return isIntegerWithin(value, kind.min, kind.max)
        ? undefined
        : `Must be a whole number between ${kind.min} and ${kind.max}.`;
    case "choice":
      return typeof value === "string" && kind.options.includes(value)
        ? undefined
        : `Must be one of ${kind.options.join(", ")}.`;
    case "text": {
      const { accepts, sentence } = TEXT_FORMATS[kind.format];
      return typeof value === "string" && accepts(value) ? undefined : sentence;
    }
    case "networks":
      return checkNetworks(value, kind.maxItems);
    case "allowList":
      return checkAllowList(value, kind.hasInterfaces, kind.maxItems);
  }
}

function isIntegerWithin(value: unknown, min: number, max: number): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= min && value <= max;
}

function checkNetworks(value: unknown, maxItems: number): string | undefined {
  if (!Array.isArray(value) || value.length > maxItems)
    return `Must be a list of at most ${maxItems} networks.`;
  const isNetwork = (item: unknown) => typeof item === "string" && parseIpPrefix(item) !== undefined;
  return value.every(isNetwork) ? undefined : "Must be a list of networks, like 192.168.0.0/16.";
}

function checkAllowList(value: unknown, hasInterfaces: boolean, maxItems: number): string | undefined {
  if (!isRecord(value) || Object.keys(value).length > maxItems) {
    return `Must be at most ${maxItems} networks, each with true or false.`;
  }
  const { interfaces, ...networks } = value;
  if (hasInterfaces) return checkInterfaces(interfaces, maxItems) ?? checkAllowedNetworks(networks);
  return checkAllowedNetworks(value);
}

function checkInterfaces(value: unknown, maxItems: number): string | undefined {
  if (!isRecord(value) || Object.keys(value).length > maxItems) {
    return `Must have interfaces: at most ${maxItems} patterns of interface names, each with true or false.`;
  }
  const invalid = Object.keys(value).find((pattern) => !isInterfacePattern(pattern));
  if (invalid !== undefined)
    return `The interface pattern ${JSON.stringify(invalid)} isn't a supported regular expression.`;
  const flags = new Set(Object.values(value));
  if ([...flags].some((flag) => typeof flag !== "boolean")) {
    return "Each interface pattern must have true or false.";
  }
  return flags.size > 1 ? "All interface patterns must be true, or all must be false." : undefined;
}

function checkAllowedNetworks(networks: Readonly<Record<string, unknown>>): string | undefined {
  const rules = Object.entries(networks).map(([text, allow]) => ({
    text,
    prefix: parseIpPrefix(text),
    allow,
  }));
  const invalid = rules.find(({ prefix, allow }) => prefix === undefined || typeof allow !== "boolean");
  if (invalid !== undefined) return `${JSON.stringify(invalid.text)} must be a network with true or false.`;
  for (const [isFamily, everything] of [
    [isIpv4, "0.0.0.0/0"],
    [(address: Uint8Array) => !isIpv4(address), "::/0"],
  ] as const) {
    const family = rules.filter(({ prefix }) => prefix !== undefined && isFamily(prefix.address));
    const isMixed = new Set(family.map(({ allow }) => allow)).size > 1;
    if (isMixed && !family.some(({ prefix }) => prefix?.prefixLength === 0)) {
      return `With both true and false, also add ${everything} for all other addresses.`;
    }
  }
  return undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
