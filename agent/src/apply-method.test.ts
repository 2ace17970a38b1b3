import { parse } from "yaml";
import { describe, expect, it } from "vitest";
import { chooseApplyMethod } from "./apply-method.ts";
import { createNebulaKeys } from "./keys.ts";
import { configFor, createNetwork } from "./testing/test-network.ts";

const network = createNetwork();
const { publicKey } = createNebulaKeys("25519");
const certificate = network.issue(publicKey);
const base = parse(configFor(network, certificate));
const VERSIONS = ["1.6.1", "1.7.1", "1.7.2", "1.8.2", "1.9.3", "1.10.0", "1.11.0"] as const;

/** The base configuration with one setting changed; `undefined` removes it. */
function withSetting(path: string, value: unknown) {
  const [section = "", key] = path.split(".");
  return { ...base, [section]: key === undefined ? value : { ...base[section], [key]: value } };
}

describe("without a change", () => {
  it.each(VERSIONS)("nebula %s keeps running", (version) => {
    expect(chooseApplyMethod(version, base, structuredClone(base))).toBe("nothing");
  });

  it("a nebula of unknown version keeps running", () => {
    expect(chooseApplyMethod(undefined, base, structuredClone(base))).toBe("nothing");
  });
});

const rule = { port: "any", proto: "any", host: "any" };
describe.each([
  ["firewall.inbound", [rule]],
  ["firewall", undefined],
  ["pki.blocklist", ["ab".repeat(32)]],
  ["pki.ca", `${network.caPem}${createNetwork().caPem}`],
  ["lighthouse.hosts", ["100.100.0.1"]],
  ["lighthouse.interval", 30],
  ["lighthouse.advertise_addrs", ["192.0.2.1:4242"]],
  ["lighthouse.remote_allow_list", { "10.0.0.0/8": true }],
  ["lighthouse.local_allow_list", { "10.0.0.0/8": true }],
  ["relay.relays", ["100.100.0.3"]],
  ["logging.level", "debug"],
  ["sshd", { enabled: true }],
])("%s", (setting, value) => {
  it.each(VERSIONS)("is reloaded by nebula %s", (version) => {
    expect(chooseApplyMethod(version, base, withSetting(setting, value))).toBe("reload");
  });

  it("needs a restart if the version is unknown", () => {
    expect(chooseApplyMethod(undefined, base, withSetting(setting, value))).toBe("restart");
    expect(chooseApplyMethod("unknown", base, withSetting(setting, value))).toBe("restart");
  });
});

describe.each([
  ["listen.port", 4243],
  ["listen.host", "::"],
  ["listen.read_buffer", 1000],
  ["listen", undefined],
  ["tun.dev", "nebula9"],
  ["tun.mtu", 1400],
  ["tun.tx_queue", 1000],
  ["routines", 2],
  ["cipher", "chachapoly"],
  ["stats", { type: "prometheus" }],
  ["punchy.punch", false],
  ["lighthouse.am_lighthouse", true],
  ["lighthouse.serve_dns", true],
  ["lighthouse.dns", { host: "0.0.0.0", port: 53 }],
  ["relay.am_relay", true],
  ["relay.use_relays", false],
  ["pki.disconnect_invalid", false],
  ["something_new", { a: 1 }],
])("%s", (setting, value) => {
  it.each(VERSIONS)("needs a restart of nebula %s", (version) => {
    expect(chooseApplyMethod(version, base, withSetting(setting, value))).toBe("restart");
  });
});

describe.each([
  ["1.6.1", { certificate: "restart", routes: "restart", ranges: "restart", hosts: "reload" }],
  ["1.7.1", { certificate: "reload", routes: "restart", ranges: "restart", hosts: "restart" }],
  ["1.7.2", { certificate: "reload", routes: "restart", ranges: "restart", hosts: "reload" }],
  ["1.8.2", { certificate: "reload", routes: "restart", ranges: "restart", hosts: "reload" }],
  ["1.9.3", { certificate: "reload", routes: "reload", ranges: "reload", hosts: "reload" }],
  ["1.10.0", { certificate: "reload", routes: "reload", ranges: "reload", hosts: "reload" }],
  ["1.11.0", { certificate: "reload", routes: "reload", ranges: "reload", hosts: "reload" }],
])("nebula %s", (version, expected) => {
  const groups = { ...withSetting("pki.cert", network.issue(publicKey, { groups: ["role:a"] })) };

  it(`applies a certificate with other groups with a ${expected.certificate}`, () => {
    expect(chooseApplyMethod(version, base, groups)).toBe(expected.certificate);
  });

  it(`applies a new key with a ${expected.certificate}`, () => {
    const next = { ...groups, pki: { ...groups.pki, key: "/elsewhere.key" } };
    expect(chooseApplyMethod(version, base, next)).toBe(expected.certificate);
  });

  it("applies a certificate for another address with a restart", () => {
    const moved = network.issue(publicKey, { address: "100.100.0.3" });
    expect(chooseApplyMethod(version, base, withSetting("pki.cert", moved))).toBe("restart");
  });

  it("applies an unreadable certificate with a restart", () => {
    expect(chooseApplyMethod(version, base, withSetting("pki.cert", "?"))).toBe("restart");
    expect(chooseApplyMethod(version, withSetting("pki.cert", "?"), base)).toBe("restart");
  });

  it(`applies unsafe routes with a ${expected.routes}`, () => {
    const routes = [{ route: "10.8.0.0/16", via: "100.100.0.8" }];
    expect(chooseApplyMethod(version, base, withSetting("tun.unsafe_routes", routes))).toBe(expected.routes);
  });

  it(`applies preferred ranges with a ${expected.ranges}`, () => {
    expect(chooseApplyMethod(version, base, withSetting("preferred_ranges", ["10.0.0.0/8"]))).toBe(
      expected.ranges,
    );
  });

  it(`applies other static hosts with a ${expected.hosts}`, () => {
    const hosts = { "100.100.0.1": ["192.0.2.1:4242"] };
    expect(chooseApplyMethod(version, base, withSetting("static_host_map", hosts))).toBe(expected.hosts);
  });

  it("needs a restart if one of several changes does", () => {
    const both = { ...withSetting("firewall.inbound", [rule]), listen: { host: "0.0.0.0", port: 1 } };
    expect(chooseApplyMethod(version, base, both)).toBe("restart");
  });
});

describe.each([
  ["1.8.2", "restart"],
  ["1.9.3", "restart"],
  ["1.10.0", "reload"],
  ["1.11.0", "reload"],
])("nebula %s", (version, expected) => {
  const v2 = network.issueV2(publicKey);
  const both = withSetting("pki.cert", certificate + v2);
  const onlyV2 = withSetting("pki.cert", v2);

  it(`applies certificates of version 2 with a ${expected}`, () => {
    expect(chooseApplyMethod(version, base, both)).toBe(expected);
    expect(chooseApplyMethod(version, both, onlyV2)).toBe(expected);
  });

  it(`applies another initiating version with a ${expected}`, () => {
    const next = withSetting("pki.initiating_version", 2);
    expect(chooseApplyMethod(version, base, next)).toBe(expected);
  });

  it("applies two certificates of the same version with a restart", () => {
    expect(chooseApplyMethod(version, base, withSetting("pki.cert", certificate + certificate))).toBe(
      "restart",
    );
  });

  it("applies a certificate followed by something else with a restart", () => {
    expect(chooseApplyMethod(version, base, withSetting("pki.cert", `${certificate}?`))).toBe("restart");
  });
});
