import {
  validateOverride,
  encodePem,
  OVERRIDE_KINDS,
  renderConfig,
  type ConfigOverride,
} from "@lightkeeper/nebula";
import { expect, it } from "vitest";
import {
  initialOverrideValue,
  overrideKeys,
  overrideLabel,
  formatOverrideValue,
  overrideLabels,
} from "./override-labels.ts";

/** The configuration of a host that has only these overrides. */
function configWith(configOverrides: readonly ConfigOverride[]): object {
  const hostFields = { addresses: ["100.100.0.2"], staticAddresses: [] };
  return renderConfig({
    nebulaVersion: undefined,
    network: { cidrs: ["100.100.0.0/22"], lighthousesAsRelays: false },
    host: { ...hostFields, listenPort: 0, isLighthouse: false, isRelay: false, configOverrides },
    lighthouses: [],
    relays: [],
    roleRules: [],
    tags: [],
    trustedCas: [encodePem("NEBULA CERTIFICATE", new Uint8Array([1]))],
    blocklist: [],
    routesServed: [],
    routesSubscribed: [],
  }).config;
}

const valueAt = (config: object, key: string) =>
  key
    .split(".")
    .reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], config);

it.each([
  ["nothing", [], ["logging.format", "logging.level", "tun.dev", "tun.mtu"]],
  ["graphite", [{ key: "stats.type", value: "graphite" }], ["stats.host", "stats.interval", "stats.prefix"]],
  [
    "prometheus",
    [{ key: "stats.type", value: "prometheus" }],
    ["stats.interval", "stats.listen", "stats.path"],
  ],
] as const)("shows the same defaults as the configuration: %s", (_, overrides, keys) => {
  const config = configWith(overrides);
  for (const key of keys) expect(overrideLabels[key].defaultText).toBe(String(valueAt(config, key)));
});

it("starts every setting with a valid value, except texts, which must be typed", () => {
  for (const key of overrideKeys) {
    const isText = OVERRIDE_KINDS[key].kind === "text";
    expect([key, validateOverride(key, initialOverrideValue(key)) === undefined]).toEqual([key, !isText]);
  }
});

it.each([
  ["tun.mtu", 1400, "1,400 bytes"],
  ["lighthouse.dns.port", 5353, "5353"],
  ["lighthouse.serve_dns", true, "on"],
  ["preferred_ranges", ["10.0.0.0/8", "fd00::/8"], "10.0.0.0/8, fd00::/8"],
  ["preferred_ranges", [], "none"],
  [
    "lighthouse.local_allow_list",
    { interfaces: { "docker.*": false }, "10.0.0.0/8": true },
    "docker.* denied, 10.0.0.0/8 allowed",
  ],
  ["logging.level", "debug", "debug"],
])("formats %s: %j", (key, value, text) => {
  expect(formatOverrideValue(key, value)).toBe(text);
});

it("shows an unknown setting by its key", () => {
  expect(overrideLabel("punchy.delay")).toBe("punchy.delay");
});
