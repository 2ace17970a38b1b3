// Text formats of overrides. They are stricter than Nebula's parser, which accepts values that fail later: a metrics
// path on which its web server panics, an interval of zero, or a pattern that Go's regular expressions reject.

import { parseIp } from "./ip-prefixes.ts";
import { PORT_MAX } from "./ports.ts";

interface TextFormat {
  readonly accepts: (text: string) => boolean;
  readonly sentence: string;
}

const HOST_NAME =
  /^(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;
const HOST_AND_PORT = /^(.*):(\d{1,5})$/;
const DURATION_PART = /(\d{1,9})(ms|s|m|h)/g;
const DURATION = /^(?:\d{1,9}(?:ms|s|m|h))+$/;
const MILLISECONDS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const DURATION_LENGTH_MAX = 32;
const DURATION_MIN = 1000;
const DURATION_MAX = 86_400_000;
const INTERFACE_PATTERN = /^(?:[A-Za-z0-9_.*+?|()[\]^$@-]|\\[.dwsDWS+*?()[\]^$|])+$/;
// JavaScript and Go interpret empty sets, nested sets and groups with options differently.
const AMBIGUOUS_PATTERN = /\[\^?\]|\[[^\]]*\[|\(\?/;
const PATTERN_LENGTH_MAX = 128;

export const TEXT_FORMATS = {
  address: {
    accepts: isHost,
    sentence: "Must be an IP address or a host name.",
  },
  listenAddress: {
    accepts: (text) => isHostAndPort(text, (host) => host === "" || isHost(host)),
    sentence: "Must be an address and a port, like 127.0.0.1:8080 or :8080.",
  },
  hostAndPort: {
    accepts: (text) => isHostAndPort(text, isHost),
    sentence: "Must be a host and a port, like 192.0.2.1:2003.",
  },
  duration: {
    accepts: isDuration,
    sentence: "Must be a duration between 1s and 24h, like 10s or 1m30s.",
  },
  urlPath: {
    accepts: (text) => /^(?:\/|(?:\/[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}){1,8})$/.test(text),
    sentence: "Must be a path, like /metrics.",
  },
  metricName: {
    accepts: (text) => /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(text),
    sentence:
      "Must start with a letter or underscore, and have only letters, digits and underscores (up to 64).",
  },
  metricPrefix: {
    accepts: (text) => /^[A-Za-z0-9_.-]{1,128}$/.test(text),
    sentence: "Must have only letters, digits, dots, hyphens and underscores (up to 128).",
  },
  interfaceName: {
    accepts: (text) => /^(?!\.{1,2}$)[A-Za-z0-9_.-]{1,15}$/.test(text),
    sentence: "Must have only letters, digits, dots, hyphens and underscores (up to 15).",
  },
  timestampLayout: {
    accepts: (text) => /^[\x20-\x7e]{1,64}$/.test(text),
    sentence: "Must be a Go time layout, like 2006-01-02T15:04:05Z07:00 (up to 64 characters).",
  },
} as const satisfies Record<string, TextFormat>;

export type TextFormatName = keyof typeof TEXT_FORMATS;

/** Whether the text is a regular expression that JavaScript and Go interpret in the same way. */
export function isInterfacePattern(text: string): boolean {
  if (text.length > PATTERN_LENGTH_MAX || !INTERFACE_PATTERN.test(text) || AMBIGUOUS_PATTERN.test(text)) {
    return false;
  }
  try {
    new RegExp(text, "u");
    return true;
  } catch {
    return false;
  }
}

/** IPv6 addresses must be in brackets, which the returned host doesn't have. */
export function splitHostAndPort(text: string): { host: string; port: number } | undefined {
  const [, host, port] = HOST_AND_PORT.exec(text) ?? [];
  if (host === undefined) return undefined;
  const bracketed = /^\[(.*:.*)\]$/.exec(host)?.[1];
  if (bracketed === undefined && /[:[\]]/.test(host)) return undefined;
  return { host: bracketed ?? host, port: Number(port) };
}

function isHost(text: string): boolean {
  const bare = /^\[(.*)\]$/.exec(text)?.[1];
  if (bare !== undefined) return bare.includes(":") && parseIp(bare) !== undefined;
  return parseIp(text) !== undefined || (HOST_NAME.test(text) && !/^[\d.]+$/.test(text));
}

function isHostAndPort(text: string, acceptsHost: (host: string) => boolean): boolean {
  const parts = splitHostAndPort(text);
  return parts !== undefined && parts.port >= 1 && parts.port <= PORT_MAX && acceptsHost(parts.host);
}

function isDuration(text: string): boolean {
  if (text.length > DURATION_LENGTH_MAX || !DURATION.test(text)) return false;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(DURATION_PART)) {
    total += Number(amount) * MILLISECONDS[unit as keyof typeof MILLISECONDS];
  }
  return total >= DURATION_MIN && total <= DURATION_MAX;
}
