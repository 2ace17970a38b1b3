import { describe, expect, it } from "vitest";
import { hostOf, networkOf, NOW } from "../../test-data/access-network.ts";
import type { AccessHost, AccessNetwork, Traffic } from "./network.ts";
import { verdict } from "./verdict.ts";

const SSH: Traffic = { protocol: "TCP", port: 22 };
const network = networkOf();

function decide(source: string, destination: string, traffic: Traffic, given: AccessNetwork = network) {
  const byName = (name: string) => given.hosts.find((host) => host.name === name);
  const address = byName(destination)?.addresses[0] ?? destination;
  return verdict(given, { source: byName(source)!, destination: address, traffic });
}

/** The network, in which one host is different. */
const withHost = (name: string, more: Partial<AccessHost>) =>
  networkOf({ hosts: network.hosts.map((host) => (host.name === name ? { ...host, ...more } : host)) });

describe("an allowed connection", () => {
  it("comes with all rules that match, each with its origin", () => {
    const found = decide("web-3", "web-1", { protocol: "TCP", port: 443 });
    expect(found).toMatchObject({ isAllowed: true, rules: [{ source: { kind: "role" }, index: 0 }] });
    expect(decide("laptop", "database-2", SSH)).toMatchObject({
      isAllowed: true,
      rules: [{ source: { kind: "role" }, index: 1 }],
    });
    expect(decide("laptop", "database-2", { protocol: "TCP", port: 9100 })).toMatchObject({
      isAllowed: true,
      rules: [{ source: { kind: "tag", name: "env:test" }, index: 0 }],
    });
  });

  it("to an address behind a route comes with the route and its router", () => {
    expect(decide("laptop", "192.168.5.7", { protocol: "TCP", port: 80 })).toMatchObject({
      isAllowed: true,
      host: { name: "router" },
      route: { subnet: "192.168.5.0/24", routers: [{ id: "host-router" }], isInstalled: true },
      rules: [{ source: { kind: "route", id: "route-office" }, index: 0 }],
    });
  });
});

describe("a denied connection comes with the first check that fails:", () => {
  const expired = { caID: "ca-1", expiresAt: NOW };
  const untrusted = { caID: "ca-0", expiresAt: new Date("2027-01-01") };
  it.each<[string, Partial<AccessHost>]>([
    ["blocked", { isBlocked: true, certificate: undefined }],
    ["notEnrolled", { certificate: undefined }],
    ["expired", { certificate: expired }],
    ["untrustedCa", { certificate: untrusted }],
  ])("%s, of the source or the destination", (kind, more) => {
    const traffic = { protocol: "TCP", port: 443 } as const;
    expect(decide("web-2", "web-1", traffic, withHost("web-2", more)).failedCheck).toEqual({
      kind,
      hostID: "host-web-2",
    });
    expect(decide("web-2", "web-1", traffic, withHost("web-1", more)).failedCheck).toEqual({
      kind,
      hostID: "host-web-1",
    });
    const router = withHost("router", more);
    expect(decide("laptop", "192.168.5.7", { protocol: "TCP", port: 80 }, router).failedCheck).toEqual({
      kind,
      hostID: "host-router",
    });
  });

  it.each([
    ["web-1", "web-1", { kind: "sameHost" }],
    ["web-1", "10.0.0.99", { kind: "unknownAddress" }],
    ["web-1", "192.168.5.7", { kind: "noRoute" }],
    ["laptop", "192.168.6.7", { kind: "noRoute" }],
    ["laptop", "192.168.5.7", { kind: "noRule", hostID: "host-router" }],
    ["web-1", "database-1", { kind: "noRule", hostID: "host-database-1" }],
  ])("from %s to %s", (source, destination, failedCheck) => {
    expect(decide(source, destination, SSH)).toMatchObject({ isAllowed: false, failedCheck, rules: [] });
  });

  it("a router whose Nebula would allow more than its route doesn't serve it", () => {
    const old = withHost("router", { nebulaVersion: "1.6.1" });
    expect(decide("laptop", "192.168.5.7", { protocol: "TCP", port: 80 }, old).failedCheck).toEqual({
      kind: "notServed",
      hostID: "host-router",
    });
  });
});

describe("the smallest rule that would allow a connection", () => {
  it("names the fewest sources with the fewest tags, and has the fewest destinations", () => {
    expect(decide("web-1", "database-2", SSH).smallestRule).toEqual({
      // Two hosts have the role and two have the tag.
      target: { kind: "role", id: "role-database" },
      rule: {
        protocol: "TCP",
        portRange: { from: 22, to: 22 },
        allowedRoleID: "role-web",
        allowedTags: ["color:red"],
      },
      sources: 1,
      destinations: 2,
    });
    expect(decide("web-2", "database-1", SSH).smallestRule).toMatchObject({
      rule: { allowedRoleID: "role-web", allowedTags: [] },
      sources: 3,
    });
  });

  it("of a route is limited to the address", () => {
    expect(decide("laptop", "192.168.5.7", SSH).smallestRule).toMatchObject({
      target: { kind: "route", id: "route-office" },
      rule: { localCIDR: "192.168.5.7/32", allowedTags: ["team:data"] },
      sources: 1,
      destinations: 1,
    });
  });

  it.each<[Traffic, object]>([
    [{ protocol: "ICMP" }, { protocol: "ICMP", portRange: null }],
    [{ protocol: "OTHER" }, { protocol: "ANY", portRange: null }],
    [
      { protocol: "UDP", isFragment: true },
      { protocol: "UDP", portRange: null },
    ],
  ])("for %o", (traffic, rule) => {
    expect(decide("web-1", "database-1", traffic).smallestRule?.rule).toMatchObject(rule);
  });

  it("really allows it", () => {
    const { smallestRule } = decide("web-1", "database-1", SSH);
    const roles = new Map([...network.roles, ["role-database", [smallestRule!.rule]]]);
    expect(decide("web-1", "database-1", SSH, networkOf({ roles })).isAllowed).toBe(true);
    expect(decide("web-2", "database-1", SSH, networkOf({ roles })).isAllowed).toBe(false);
  });

  it("doesn't exist if the destination has no role and no tags", () => {
    const given = networkOf({ hosts: [...network.hosts, hostOf("bare", "10.0.0.51")] });
    expect(decide("web-1", "bare", SSH, given)).toMatchObject({ failedCheck: { kind: "noRule" } });
    expect(decide("web-1", "bare", SSH, given).smallestRule).toBeUndefined();
  });
});
