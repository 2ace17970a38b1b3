import {
  checkOverride,
  encodePem,
  OVERRIDE_KINDS,
  renderConfig,
  type ConfigOverride,
} from "@lightkeeper/nebula";
import { expect, it } from "vitest";
import { firstValue, overrideKeys, overrideLabel, overrideValue, overrideWords } from "./override-words.ts";

/** What a host runs with that has been told nothing else. */
function settings(configOverrides: readonly ConfigOverride[]): object {
  const nobody = { addresses: ["100.100.0.2"], staticAddresses: [] };
  return renderConfig({
    nebulaVersion: undefined,
    network: { cidrs: ["100.100.0.0/22"], lighthousesAsRelays: false },
    host: { ...nobody, listenPort: 0, isLighthouse: false, isRelay: false, configOverrides },
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
] as const)("says what holds otherwise as the config does: %s", (_, overrides, keys) => {
  const config = settings(overrides);
  for (const key of keys) expect(overrideWords[key].otherwise).toBe(String(valueAt(config, key)));
});

it("starts every setting with something Nebula takes, but for texts, which are to be written", () => {
  for (const key of overrideKeys) {
    const isText = OVERRIDE_KINDS[key].kind === "text";
    expect([key, checkOverride(key, firstValue(key)) === undefined]).toEqual([key, !isText]);
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
    "docker.* not, 10.0.0.0/8 allowed",
  ],
  ["logging.level", "debug", "debug"],
])("puts %s of %j into words", (key, value, words) => {
  expect(overrideValue(key, value)).toBe(words);
});

it("shows a setting it does not know by its key", () => {
  expect(overrideLabel("punchy.delay")).toBe("punchy.delay");
});
