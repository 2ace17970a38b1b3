import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MISLEADING } from "../test-data/misleading-texts.ts";
import { isInterfacePattern } from "./override-formats.ts";
import { OVERRIDE_KINDS, validateOverride } from "./overrides.ts";

const VALID: readonly [string, unknown][] = [
  ["lighthouse.dns.host", "0.0.0.0"],
  ["lighthouse.dns.host", "[::]"],
  ["lighthouse.dns.port", 53],
  ["lighthouse.serve_dns", false],
  ["lighthouse.local_allow_list", { interfaces: {} }],
  [
    "lighthouse.local_allow_list",
    { interfaces: { "tun.*": false, "docker\\d+": false }, "10.0.0.0/8": true },
  ],
  ["lighthouse.remote_allow_list", {}],
  ["lighthouse.remote_allow_list", { "0.0.0.0/0": true, "10.0.0.0/8": false, "fd00::/8": false }],
  ["listen.batch", 64],
  ["listen.read_buffer", 10_485_760],
  ["logging.format", "json"],
  ["logging.level", "panic"],
  ["logging.timestamp_format", "2006-01-02T15:04:05.000Z07:00"],
  ["preferred_ranges", []],
  ["preferred_ranges", ["172.16.0.0/24", "fd00::/8"]],
  ["routines", 2],
  ["stats.type", "graphite"],
  ["stats.host", "metrics.example:2003"],
  ["stats.host", "[fd00::1]:2003"],
  ["stats.interval", "1m30s"],
  ["stats.listen", ":8080"],
  ["stats.path", "/metrics/nebula"],
  ["stats.namespace", "prometheusns"],
  ["stats.prefix", "nebula.office-1"],
  ["tun.dev", "nebula1"],
  ["tun.mtu", 1300],
];

const INVALID: readonly [string, unknown, string][] = [
  ["pki.key", "x", "can't be overridden"],
  ["firewall.inbound", [], "can't be overridden"],
  ["__proto__", {}, "can't be overridden"],
  ["toString", "x", "can't be overridden"],
  ["lighthouse.serve_dns", "true", "true or false"],
  ["lighthouse.dns.port", 0, "between 1 and 65535"],
  ["lighthouse.dns.port", 53.5, "whole number"],
  ["listen.batch", "64", "whole number"],
  ["tun.mtu", 9001, "between 576 and 9000"],
  ["logging.level", "trace", "one of panic, fatal"],
  ["logging.timestamp_format", "a\nb", "time layout"],
  ["lighthouse.dns.host", "300.1.1.1", "IP address"],
  ["lighthouse.dns.host", "[10.0.0.1]", "IP address"],
  ["stats.host", "192.0.2.1", "host and a port"],
  ["stats.host", ":2003", "host and a port"],
  ["stats.host", "fd00::1:2003", "host and a port"],
  ["stats.host", "192.0.2.1:0", "host and a port"],
  ["stats.listen", "127.0.0.1:99999", "address and a port"],
  ["stats.interval", "0s", "between 1s and 24h"],
  ["stats.interval", "25h", "between 1s and 24h"],
  ["stats.interval", "10", "between 1s and 24h"],
  ["stats.path", "metrics", "a path"],
  ["stats.path", "/a b", "a path"],
  ["stats.path", "/{x}", "a path"],
  ["stats.path", "//", "a path"],
  ["stats.path", "/a/../b", "a path"],
  ["stats.namespace", "1a", "start with a letter"],
  ["stats.prefix", "a b", "only letters"],
  ["tun.dev", "sixteencharacter", "(up to 15)"],
  ["tun.dev", "..", "only letters"],
  ["preferred_ranges", "10.0.0.0/8", "a list"],
  ["preferred_ranges", ["10.0.0.0"], "like 192.168.0.0/16"],
  ["preferred_ranges", Array.from({ length: 257 }, () => "10.0.0.0/8"), "at most 256"],
  ["lighthouse.remote_allow_list", [], "each with true or false"],
  ["lighthouse.remote_allow_list", { "10.0.0.0/8": "yes" }, '"10.0.0.0/8" must be a network'],
  ["lighthouse.remote_allow_list", { interfaces: {} }, '"interfaces" must be a network'],
  ["lighthouse.remote_allow_list", { "10.0.0.0/8": true, "10.1.0.0/16": false }, "also add 0.0.0.0/0"],
  [
    "lighthouse.remote_allow_list",
    { "fd00::/8": true, "fc00::/8": false, "0.0.0.0/0": true },
    "also add ::/0",
  ],
  ["lighthouse.local_allow_list", { "10.0.0.0/8": true }, "Must have interfaces"],
  ["lighthouse.local_allow_list", { interfaces: { "tun(": false } }, "isn't a supported regular expression"],
  ["lighthouse.local_allow_list", { interfaces: { tun0: true, eth0: false } }, "or all must be false"],
  ["lighthouse.local_allow_list", { interfaces: { tun0: "true" } }, "must have true or false"],
];

describe("an override", () => {
  it.each(VALID)("can set %s to %j", (key, value) => {
    expect(validateOverride(key, value)).toBeUndefined();
  });

  it.each(INVALID)("can't set %s to %j", (key, value, message) => {
    expect(validateOverride(key, value)).toContain(message);
  });

  it("is one of 26 settings", () => {
    expect(Object.keys(OVERRIDE_KINDS)).toHaveLength(26);
  });

  it("is checked without an exception, whatever its value", () => {
    const values = fc.oneof(fc.constantFrom<unknown>(...MISLEADING), fc.anything());
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(OVERRIDE_KINDS)), values, (key, value) => {
        expect(validateOverride(key, value) ?? "Fine.").toMatch(/^.*\.$/s);
      }),
      { numRuns: 1000 },
    );
  });

  it("is checked quickly, even if a text is designed to slow down a pattern", () => {
    const startedAt = performance.now();
    for (const text of [
      "a".repeat(50_000),
      "/a".repeat(20_000),
      "1m".repeat(20_000),
      "a-".repeat(20_000),
      "[(".repeat(20_000),
    ]) {
      for (const key of Object.keys(OVERRIDE_KINDS)) expect(validateOverride(key, `${text}!`)).toBeDefined();
    }
    expect(performance.now() - startedAt).toBeLessThan(2000);
  });
});

describe("a pattern of interface names", () => {
  it.each([
    "eth0",
    "tun.*",
    "^wg[0-9]+$",
    "(docker|veth).*",
    "br-[a-f0-9]+",
    "a+?",
    "en\\d+",
    "__proto__",
    "100",
  ])("can be %s", (pattern) => {
    expect(isInterfacePattern(pattern)).toBe(true);
  });

  it.each([
    "",
    "*",
    "a**",
    "(",
    ")",
    "[a",
    "[]",
    "[^]",
    "[b-a]",
    "(?i)a",
    "(?=a)",
    "\\1",
    "\\p{L}",
    "a{2}",
    "a b",
    "é",
    "[[:alpha:]]",
  ])("can't be %j", (pattern) => {
    expect(isInterfacePattern(pattern)).toBe(false);
  });
});
