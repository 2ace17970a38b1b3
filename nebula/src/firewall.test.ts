import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { certificateGroups, compileFirewall } from "./firewall.ts";
import type { FirewallRule, NebulaRule, RoutableCIDRs, RouteFirewallRule } from "./firewall.ts";

const NONE = { roleRules: [], tags: [], routesServed: [] };
const OFFICE: RoutableCIDRs = { "192.168.14.0/26": { install: true }, "10.8.0.0/16": { install: false } };

function ownRules(...roleRules: readonly FirewallRule[]): readonly NebulaRule[] {
  return compileFirewall({ ...NONE, roleRules, nebulaVersion: "1.6.1" }).rules;
}

function routeRules(
  rule: RouteFirewallRule,
  nebulaVersion = "1.11.0",
  routableCIDRs = OFFICE,
): readonly NebulaRule[] {
  const routesServed = [{ id: "route-A", routableCIDRs, firewallRules: [rule] }];
  return compileFirewall({ ...NONE, routesServed, nebulaVersion }).rules;
}

describe("a host's inbound rules", () => {
  it.each<[string, FirewallRule, NebulaRule]>([
    ["any traffic from any host", { protocol: "ANY" }, { port: "any", proto: "any", host: "any" }],
    [
      "a port from a role",
      { protocol: "TCP", portRange: { from: 443, to: 443 }, allowedRoleID: "role-A", allowedTags: [] },
      { port: "443", proto: "tcp", group: "role:role-A" },
    ],
    [
      "ports from hosts with all of the tags",
      { protocol: "UDP", portRange: { from: 1, to: 65_535 }, allowedTags: ["b:2", "a:1", "b:2"] },
      { port: "1-65535", proto: "udp", groups: ["tag:a:1", "tag:b:2"] },
    ],
    [
      "a role and a tag together",
      { protocol: "ANY", portRange: null, allowedRoleID: "role-A", allowedTags: ["a:1"] },
      { port: "any", proto: "any", groups: ["role:role-A", "tag:a:1"] },
    ],
    [
      "ICMP, which has no ports",
      { protocol: "ICMP", portRange: { from: 8, to: 8 }, allowedRoleID: null },
      { port: "any", proto: "icmp", host: "any" },
    ],
  ])("allow %s", (_, rule, expected) => {
    expect(ownRules(rule)).toEqual([expected]);
  });

  it("are empty without any rules", () => {
    expect(compileFirewall({ ...NONE, nebulaVersion: "1.6.1" })).toEqual({ rules: [], wider: [] });
  });

  it("are the sorted union of the rules of role, tags and routes", () => {
    const ssh: FirewallRule = { protocol: "TCP", portRange: { from: 22, to: 22 } };
    const ping: FirewallRule = { protocol: "ICMP" };
    const tags = [
      { name: "a:1", firewallRules: [ping, ssh] },
      { name: "b:2", firewallRules: [ssh] },
    ];
    const compile = (roleRules: FirewallRule[], order: typeof tags) =>
      compileFirewall({ ...NONE, roleRules, tags: order, nebulaVersion: "1.11.0" }).rules;
    expect(compile([ssh], tags)).toHaveLength(2);
    expect(compile([ping, ssh], tags.toReversed())).toEqual(compile([ssh], tags));
  });

  it.each([
    { from: 0, to: 0 },
    { from: 0, to: 80 },
    { from: 80, to: 79 },
    { from: 1, to: 65_536 },
    { from: 1.5, to: 2 },
    { from: Number.NaN, to: 2 },
  ])("reject the ports $from to $to, which Nebula would misinterpret", (portRange) => {
    expect(() => ownRules({ protocol: "TCP", portRange })).toThrow("within 1 to 65535");
  });

  it("never allow any host if the rule has a role or tag, whatever its name", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("any", "", "a", null),
        fc.array(fc.constantFrom("any", "any:any", "")),
        (role, tags) => {
          const [rule] = ownRules({ protocol: "ANY", allowedRoleID: role, allowedTags: tags });
          const groups = [rule?.group, ...(rule?.groups ?? [])];
          expect(groups).not.toContain("any");
          expect(rule?.host).toBe(role === null && tags.length === 0 ? "any" : undefined);
        },
      ),
    );
  });
});

describe("a route's rules", () => {
  const ssh: RouteFirewallRule = {
    protocol: "TCP",
    portRange: { from: 22, to: 22 },
    allowedRoleID: "role-A",
  };
  const compiled = { port: "22", proto: "tcp", group: "role:role-A" };

  it.each([undefined, null, "0.0.0.0/0"])("allow all of its subnets if localCIDR is %s", (localCIDR) => {
    expect(routeRules({ ...ssh, localCIDR })).toEqual([
      { ...compiled, local_cidr: "10.8.0.0/16" },
      { ...compiled, local_cidr: "192.168.14.0/26" },
    ]);
  });

  it.each([
    ["192.168.14.8/29", ["192.168.14.8/29"]],
    ["192.168.14.9/29", ["192.168.14.8/29"]],
    ["192.168.0.0/16", ["192.168.14.0/26"]],
    ["172.16.0.0/12", []],
  ])("limit %s to the subnets of the route: %j", (localCIDR, allowed) => {
    expect(routeRules({ ...ssh, localCIDR }).map((rule) => rule.local_cidr)).toEqual(allowed);
  });

  it.each(["any", ""])("reject %j, which isn't a network", (localCIDR) => {
    expect(() => routeRules({ ...ssh, localCIDR })).toThrow("a routed subnet must be a valid CIDR");
  });

  it("allow the whole internet on 1.9 without the zero address, which 1.9 misinterprets", () => {
    const internet = { "0.0.0.0/0": { install: true }, "192.168.14.0/26": { install: true } };
    const allowed = (version: string) => routeRules(ssh, version, internet).map((rule) => rule.local_cidr);
    expect(allowed("1.11.0")).toEqual(["0.0.0.0/0", "192.168.14.0/26"]);
    const halves =
      "1.0.0.0/8 128.0.0.0/1 16.0.0.0/4 192.168.14.0/26 2.0.0.0/7 32.0.0.0/3 4.0.0.0/6 64.0.0.0/2 8.0.0.0/5";
    expect(allowed("1.9.3")).toEqual(halves.split(" "));
  });

  it("are for the newest Nebula if the version is unknown", () => {
    expect(routeRules(ssh, "dev")).toEqual(routeRules(ssh, "1.11.0"));
  });
});

describe("a Nebula that can't limit rules to a subnet", () => {
  const sources = {
    roleRules: [{ protocol: "ICMP" } as const],
    tags: [{ name: "a:1", firewallRules: [{ protocol: "ANY", allowedTags: ["a:1"] } as const] }],
    routesServed: [
      {
        id: "route-A",
        routableCIDRs: OFFICE,
        firewallRules: [
          { protocol: "TCP", localCIDR: "172.16.0.0/12" } as const,
          { protocol: "TCP", allowedRoleID: "role-A" } as const,
        ],
      },
    ],
  };
  const wider = [
    { source: { kind: "role" }, index: 0, opens: "routedNetworks" },
    { source: { kind: "tag", name: "a:1" }, index: 0, opens: "routedNetworks" },
    { source: { kind: "route", id: "route-A" }, index: 1, opens: "routerAndAllRoutedNetworks" },
  ];

  it.each(["1.6.1", "1.8.2"])("%s gets no rules on a router, and every rule is reported", (nebulaVersion) => {
    expect(compileFirewall({ ...sources, nebulaVersion })).toEqual({ rules: [], wider });
  });

  it.each(["1.6.1", "1.8.2"])("%s gets the rules without local_cidr if that is accepted", (nebulaVersion) => {
    expect(compileFirewall({ ...sources, nebulaVersion, acceptWider: true })).toEqual({
      rules: [
        { port: "any", proto: "any", groups: ["tag:a:1"] },
        { port: "any", proto: "icmp", host: "any" },
        { port: "any", proto: "tcp", group: "role:role-A" },
      ],
      wider,
    });
  });

  it("gets all rules if it serves no route", () => {
    const { rules, wider: none } = compileFirewall({ ...sources, routesServed: [], nebulaVersion: "1.6.1" });
    expect([rules.length, none]).toEqual([2, []]);
  });

  it.each(["1.9.0", "1.10.0", "1.11.0", undefined])("is not %s", (nebulaVersion) => {
    expect(compileFirewall({ ...sources, nebulaVersion }).wider).toEqual([]);
  });
});

it("a certificate's groups are the role and the sorted tags", () => {
  expect(certificateGroups({ roleID: "role-A", tags: ["b:2", "a:1"] })).toEqual([
    "role:role-A",
    "tag:a:1",
    "tag:b:2",
  ]);
  expect(certificateGroups({ roleID: null, tags: [] })).toEqual([]);
});
