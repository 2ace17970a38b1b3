import { describe, expect, it } from "vitest";
import { EXAMPLES } from "../test-data/config-examples.ts";
import { renderConfig } from "./config.ts";
import type { ConfigOverride } from "./overrides.ts";

describe("overrides", () => {
  const tag = (name: string, priority: number, ...configOverrides: ConfigOverride[]) => ({
    name,
    priority,
    configOverrides,
    firewallRules: [],
  });
  const allow = (value: unknown) => ({ key: "lighthouse.remote_allow_list", value });

  it("are applied from tags by priority to the host, each replacing the whole value", () => {
    const tags = [
      tag("c:3", 3, { key: "tun.mtu", value: 1400 }, allow({ "10.0.0.0/8": true })),
      tag("a:1", 9, { key: "tun.mtu", value: 1500 }, allow({ "fd00::/8": false })),
      tag("b:2", 5, { key: "logging.level", value: "debug" }, { key: "routines", value: 2 }),
    ];
    const host = { ...EXAMPLES.host.host, configOverrides: [{ key: "logging.level", value: "error" }] };
    const { config, omitted } = renderConfig({ ...EXAMPLES.host, tags, host });
    expect(config).toMatchObject({
      tun: { mtu: 1500, dev: "nebula1" },
      logging: { level: "error", format: "text" },
      routines: 2,
    });
    expect(config.lighthouse).toHaveProperty("remote_allow_list", { "fd00::/8": false });
    expect(omitted).toEqual([]);
  });

  it("that are invalid are omitted and reported, and the earlier value is used", () => {
    const tags = [
      tag("a:1", 1, { key: "tun.mtu", value: 1400 }),
      tag("b:2", 2, { key: "tun.mtu", value: "no" }),
    ];
    const host = { ...EXAMPLES.host.host, configOverrides: [{ key: "pki.key", value: "/etc/shadow" }] };
    const { config, omitted } = renderConfig({ ...EXAMPLES.host, tags, host });
    expect(config).toMatchObject({ tun: { mtu: 1400 }, pki: { key: EXAMPLES.host.keyPath } });
    expect(omitted).toMatchObject([
      { kind: "override", key: "tun.mtu", source: { kind: "tag", name: "b:2" } },
      {
        kind: "override",
        key: "pki.key",
        source: { kind: "host" },
        sentence: "This setting can't be overridden.",
      },
    ]);
  });

  it.each([
    [{ "10.0.0.0/8": true }, false],
    [{ "0.0.0.0/0": true, "192.0.2.0/24": false }, false],
    [{ "0.0.0.0/0": false, "192.0.2.0/24": true, "10.0.0.0/8": false }, true],
    [{ "10.0.0.0/8": false, "fd00::/8": true }, true],
    [{ "fd00::/8": true }, true],
  ])("of remote_allow_list %j are used for 1.6.1: %s, because it needs its lighthouses", (value, isUsed) => {
    const host = { ...EXAMPLES.host.host, configOverrides: [allow(value)] };
    const rendered = (nebulaVersion: string) => renderConfig({ ...EXAMPLES.host, host, nebulaVersion });
    expect(rendered("1.6.1").omitted).toHaveLength(isUsed ? 0 : 1);
    expect(rendered("1.9.3").omitted).toEqual([]);
  });

  it.each([
    ["graphite", { host: "127.0.0.1:2003", interval: "10s", prefix: "nebula" }],
    ["prometheus", { interval: "5s", listen: "127.0.0.1:8080", path: "/metrics" }],
  ])("of stats.type %s add the settings that Nebula requires", (type, required) => {
    const overrides = [
      { key: "stats.type", value: type },
      { key: "stats.interval", value: required.interval },
    ];
    const host = { ...EXAMPLES.host.host, configOverrides: overrides };
    expect(renderConfig({ ...EXAMPLES.host, host }).config.stats).toEqual({ type, ...required });
  });
});
