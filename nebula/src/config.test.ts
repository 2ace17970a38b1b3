import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { EXAMPLES, SERVED_CIDR } from "../test-data/config-examples.ts";
import { renderConfig } from "./config.ts";
import type { ConfigInput } from "./config.ts";
import { CA_V2, HOST_V2 } from "../test-data/certificate-v2-vectors.ts";
import { MISLEADING } from "../test-data/misleading-texts.ts";

const KINDS = Object.entries(EXAMPLES) as [keyof typeof EXAMPLES, ConfigInput][];
const VERSIONS = ["1.6.1", "1.9.3", "1.11.0"];

describe("a rendered configuration", () => {
  it.each(KINDS.flatMap(([kind, input]) => VERSIONS.map((version) => ({ kind, input, version }))))(
    "of a $kind for $version equals the golden file",
    ({ kind, input, version }) => {
      const golden = new URL(`../test-data/golden/${kind}-${version}.yaml`, import.meta.url);
      expect(renderConfig({ ...input, nebulaVersion: version }).yaml).toBe(readFileSync(golden, "utf8"));
    },
  );

  it.each(KINDS)("of a %s is parsed correctly, also as YAML 1.1", (_, input) => {
    const { config, yaml } = renderConfig(input);
    expect(parse(yaml)).toEqual(config);
    expect(parse(yaml, { version: "1.1" })).toEqual(config);
  });

  it("doesn't depend on the order of its lists", () => {
    const input: ConfigInput = {
      ...EXAMPLES.subscriber,
      lighthouses: [...EXAMPLES.lighthouse.lighthouses],
      relays: [...EXAMPLES.relay.relays],
      blocklist: ["cd", "ab", "ef"].map((pair) => pair.repeat(32)),
      trustedCas: [...EXAMPLES.host.trustedCas, CA_V2.pem],
      tags: [
        ...EXAMPLES.host.tags,
        { name: "b:2", priority: 7, configOverrides: [], firewallRules: [{ protocol: "ICMP" }] },
      ],
    };
    const lists = [
      "lighthouses",
      "relays",
      "blocklist",
      "trustedCas",
      "tags",
      "roleRules",
      "routesSubscribed",
    ] as const;
    const reversed = Object.fromEntries(lists.map((list) => [list, input[list].toReversed()]));
    expect(renderConfig({ ...input, ...reversed })).toEqual(renderConfig(input));
  });

  it("has a key and a certificate only if given", () => {
    const { config } = renderConfig({ ...EXAMPLES.host, keyPath: undefined, certificate: undefined });
    expect(Object.keys(parse(renderConfig(EXAMPLES.host).yaml).pki)).toEqual([
      "ca",
      "cert",
      "key",
      "blocklist",
      "disconnect_invalid",
    ]);
    expect(config.pki).toMatchObject({ key: undefined, cert: undefined });
  });

  it("is for the newest version if the version is unknown", () => {
    const [unknown, newest] = [undefined, "1.11.0"].map((nebulaVersion) =>
      renderConfig({ ...EXAMPLES.router, nebulaVersion }),
    );
    expect(unknown).toEqual(newest);
  });

  it("omits and reports a rule that the router's Nebula would widen", () => {
    const old = { ...EXAMPLES.router, nebulaVersion: "1.6.1" };
    expect(renderConfig(old)).toMatchObject({ config: { firewall: { inbound: [] } } });
    expect(renderConfig(old).wider).toHaveLength(5);
    expect(renderConfig({ ...old, acceptWider: true }).config).toMatchObject({
      firewall: { inbound: expect.arrayContaining([{ port: "any", proto: "any", group: "role:role-OPS" }]) },
    });
  });
});

describe("lighthouses and relays", () => {
  it("a host finds every lighthouse and uses every relay", () => {
    expect(renderConfig({ ...EXAMPLES.host, network: EXAMPLES.lighthouse.network }).config).toMatchObject({
      static_host_map: {
        "100.100.0.1": ["192.0.2.1:4242", "localhost:4242"],
        "100.100.0.2": ["192.0.2.2:4242"],
      },
      lighthouse: { am_lighthouse: false, hosts: ["100.100.0.1"] },
      relay: { am_relay: false, relays: ["100.100.0.1", "100.100.0.2"] },
    });
  });

  it("a lighthouse queries no other and isn't in its own map", () => {
    const { config } = renderConfig(EXAMPLES.lighthouse);
    expect(config).toMatchObject({
      lighthouse: { am_lighthouse: true, hosts: [] },
      relay: { am_relay: true, relays: [] },
    });
    expect(Object.keys(config.static_host_map ?? {})).toEqual(["100.100.0.1", "100.100.0.2"]);
  });

  it("a lighthouse without a static address is omitted, because Nebula wouldn't start", () => {
    const lighthouses = [{ addresses: ["100.100.0.1"], staticAddresses: [] }];
    expect(renderConfig({ ...EXAMPLES.host, lighthouses }).config).toMatchObject({
      lighthouse: { hosts: [] },
    });
  });

  it("advertises a plain host's IP addresses, but not its DNS names", () => {
    const staticAddresses = ["office.example:4242", "192.0.2.29:4242", "[fd00::1]:4242"];
    const host = { ...EXAMPLES.host.host, staticAddresses };
    expect(renderConfig({ ...EXAMPLES.host, host }).config).toMatchObject({
      lighthouse: { advertise_addrs: ["192.0.2.29:4242", "[fd00::1]:4242"] },
    });
  });
});

describe("a network with IPv6", () => {
  const dual: ConfigInput = {
    ...EXAMPLES.host,
    network: { cidrs: ["100.100.0.0/22", "fd00::/64"], lighthousesAsRelays: false },
    host: { ...EXAMPLES.host.host, addresses: ["fd00::1d", "100.100.0.29"] },
    lighthouses: [{ addresses: ["fd00:0:0::1", "100.100.0.1"], staticAddresses: ["192.0.2.1:4242"] }],
    relays: [{ addresses: ["fd00::2"], staticAddresses: [] }],
    trustedCas: [CA_V2.pem, ...EXAMPLES.host.trustedCas],
    certificate: HOST_V2.pem,
  };

  it("is used by a Nebula that supports it", () => {
    const { config } = renderConfig(dual);
    expect(Object.keys(config.static_host_map ?? {})).toEqual(["100.100.0.1"]);
    expect(config).toMatchObject({ lighthouse: { hosts: ["100.100.0.1"] }, relay: { relays: ["fd00::2"] } });
    expect(config.pki).toMatchObject({ ca: expect.stringContaining("CERTIFICATE V2"), cert: HOST_V2.pem });
  });

  it("is IPv4 only for an older Nebula", () => {
    const { config } = renderConfig({ ...dual, nebulaVersion: "1.9.3", certificate: undefined });
    expect(Object.keys(config.static_host_map ?? {})).toEqual(["100.100.0.1"]);
    expect(config).toMatchObject({ relay: { relays: [] }, pki: { ca: EXAMPLES.host.trustedCas[0] } });
    expect(() => renderConfig({ ...dual, nebulaVersion: "1.9.3" })).toThrow(
      "certificate must be one that its Nebula can read",
    );
    const onlyIpv6 = { ...dual, host: { ...dual.host, addresses: ["fd00::1d"] } };
    expect(() => renderConfig({ ...onlyIpv6, nebulaVersion: "1.9.3" })).toThrow("its Nebula supports");
  });
});

describe("subscribed routes", () => {
  function routes(change: Partial<ConfigInput>): unknown[] {
    const { config, omitted } = renderConfig({ ...EXAMPLES.host, ...change });
    const { unsafe_routes: unsafeRoutes } = config.tun as { unsafe_routes: unknown };
    return [unsafeRoutes, omitted];
  }
  const route = (cidr: string, install = true, routerAddresses: readonly string[] = ["100.100.0.8"]) => [
    { id: "route-A", routerAddresses, routableCIDRs: { [cidr]: { install } } },
  ];

  it("omit a subnet within the overlay, which Nebula rejects", () => {
    const omitted = [{ kind: "route", cidr: "100.100.1.0/24", reason: "insideNetwork" }];
    expect(routes({ routesSubscribed: route("100.100.1.7/24") })).toEqual([[], omitted]);
    expect(routes({ routesSubscribed: route("0.0.0.0/0") })).toEqual([
      [{ route: "0.0.0.0/0", via: "100.100.0.8" }],
      [],
    ]);
  });

  it("omit a subnet that the host itself serves", () => {
    const { routesServed } = EXAMPLES.router;
    const omitted = [{ kind: "route", cidr: SERVED_CIDR, reason: "servedByItself" }];
    expect(routes({ routesServed, routesSubscribed: route(SERVED_CIDR) })).toEqual([[], omitted]);
    // Nebula before 1.9 exits if a route is to a subnet that the machine is connected to.
    const subnetsNotServed = [SERVED_CIDR];
    expect(routes({ subnetsNotServed, routesSubscribed: route(SERVED_CIDR) })).toEqual([[], omitted]);
  });

  it("omit a router that the host can't reach", () => {
    const omitted = [{ kind: "route", cidr: "10.8.0.0/16", reason: "routerOutOfReach" }];
    expect(routes({ routesSubscribed: route("10.8.0.0/16", true, ["fd00::8"]) })).toEqual([[], omitted]);
    expect(routes({ routesSubscribed: route("10.8.0.0/16", true, []) })).toEqual([[], omitted]);
    const ipv6 = [{ kind: "route", cidr: "fd01::/48", reason: "routerOutOfReach" }];
    expect(routes({ routesSubscribed: route("fd01::/48") })).toEqual([[], ipv6]);
  });

  it("omit a route that 1.6 would install although it shouldn't", () => {
    const omitted = [{ kind: "route", cidr: "10.8.0.0/16", reason: "alwaysInstalled" }];
    expect(routes({ nebulaVersion: "1.6.1", routesSubscribed: route("10.8.0.0/16", false) })).toEqual([
      [],
      omitted,
    ]);
  });

  it("use all routers, or a single router if Nebula supports no more", () => {
    const { routesSubscribed } = EXAMPLES.subscriber;
    expect(routes({ nebulaVersion: "1.9.3", routesSubscribed })).toEqual([
      [
        { route: "10.8.0.0/16", via: "100.100.0.8" },
        { route: "10.9.0.0/16", via: "100.100.0.8", install: false },
      ],
      [{ kind: "route", cidr: "10.8.0.0/16", reason: "oneRouterOnly" }],
    ]);
  });
});

describe("invalid data", () => {
  it.each<[string, Partial<ConfigInput>, string]>([
    [
      "an invalid network",
      { network: { cidrs: ["x"], lighthousesAsRelays: false } },
      "a network's CIDR must be valid",
    ],
    ["an address outside its network", hostWith({ addresses: ["10.0.0.1"] }), "an address in its network"],
    ["an invalid address", hostWith({ addresses: ["x"] }), "must be an IP address"],
    ["an invalid static address", hostWith({ staticAddresses: ["192.0.2.1"] }), "a host and a port"],
    ["an invalid port", hostWith({ listenPort: 65_536 }), "between 0 and 65535"],
    ["a lighthouse on any port", hostWith({ isLighthouse: true }), "a fixed port"],
    ["no CA", { trustedCas: [] }, "must trust a CA"],
    ["an invalid CA", { trustedCas: ["x"] }, "must be one NEBULA CERTIFICATE"],
    ["an invalid fingerprint", { blocklist: ["AB".repeat(32)] }, "lower-case hex"],
    [
      "an invalid router address",
      { routesSubscribed: [{ id: "r", routerAddresses: ["x"], routableCIDRs: {} }] },
      "IP address",
    ],
  ])("%s is rejected", (_, change, message) => {
    expect(() => renderConfig({ ...EXAMPLES.host, ...change })).toThrow(message);
  });
});

it("names of roles and tags are never changed in the configuration", () => {
  const texts = fc.oneof(fc.constantFrom(...MISLEADING), fc.string({ unit: "binary", maxLength: 30 }));
  fc.assert(
    fc.property(texts, fc.array(texts, { maxLength: 3 }), (role, tags) => {
      const roleRules = [{ protocol: "ANY", allowedRoleID: role, allowedTags: tags } as const];
      const { config, yaml } = renderConfig({ ...EXAMPLES.host, roleRules, keyPath: role });
      for (const version of ["1.1", "1.2"] as const) expect(parse(yaml, { version })).toEqual(config);
    }),
  );
});

function hostWith(change: Partial<ConfigInput["host"]>): Partial<ConfigInput> {
  return { host: { ...EXAMPLES.host.host, ...change } };
}
