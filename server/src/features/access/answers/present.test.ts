import { AccessRule, AccessTraffic } from "@lightkeeper/contract";
import type { TrafficRange } from "@lightkeeper/nebula/access";
import { verdict } from "@lightkeeper/nebula/access";
import { describe, expect, it } from "vitest";
import { hostOf, networkOf } from "@lightkeeper/nebula/testing";
import { loadedNetwork } from "../../../testing/access-fixture.ts";
import { evaluateGuarantee } from "@lightkeeper/nebula/access";
import {
  presentCounterexample,
  presentFailedCheck,
  presentGroup,
  presentRule,
  presentSmallestRule,
  presentTraffic,
} from "./present.ts";

const range = (from: number, to: number, protocol: TrafficRange["protocol"] = "TCP") => ({
  protocol,
  from,
  to,
});

describe("traffic", () => {
  it.each<[string, TrafficRange, AccessTraffic[]]>([
    ["all ports", range(0, 65_536), [{ protocol: "TCP", portRange: null }]],
    ["one port", range(22, 22), [{ protocol: "TCP", portRange: { from: 22, to: 22 } }]],
    ["every port of a rule", range(1, 65_535), [{ protocol: "TCP", portRange: { from: 1, to: 65_535 } }]],
    ["the ports before another", range(0, 21), [{ protocol: "TCP", portRange: { from: 1, to: 21 } }]],
    [
      "the ports after another",
      range(23, 65_536, "UDP"),
      [
        { protocol: "UDP", portRange: { from: 23, to: 65_535 } },
        { protocol: "UDP", portRange: null, fragmentsOnly: true },
      ],
    ],
    ["later fragments", range(65_536, 65_536), [{ protocol: "TCP", portRange: null, fragmentsOnly: true }]],
    ["port 0", range(0, 0), []],
    ["ICMP", range(0, 65_536, "ICMP"), [{ protocol: "ICMP", portRange: null }]],
    ["other protocols", range(0, 65_536, "OTHER"), [{ protocol: "OTHER", portRange: null }]],
  ])("of %s", (_name, given, expected) => {
    expect(presentTraffic([given])).toEqual(expected);
    for (const each of expected) expect(AccessTraffic.parse(each)).toEqual(each);
  });
});

describe("a group", () => {
  it("has a role and the first ten hosts by name", () => {
    const hosts = Array.from({ length: 12 }, (_, index) => hostOf(`web-${12 - index}`, `10.0.0.${index}`));
    const group = presentGroup(loadedNetwork(), { roleID: "role-web", tags: ["a:b"], hosts });
    expect(group).toMatchObject({ role: { id: "role-web", name: "Web" }, tags: ["a:b"], hostCount: 12 });
    expect(group.hosts.map(({ name }) => name)).toEqual(
      Array.from({ length: 10 }, (_, index) => `web-${index + 1}`),
    );
    expect(presentGroup(loadedNetwork(), { roleID: null, tags: [], hosts: [] }).role).toBeNull();
  });

  it("lists hosts that can't connect last", () => {
    const hosts = ["a", "b", "c"].map((name, index) => hostOf(name, `10.0.0.${index}`));
    hosts[0] = { ...hosts[0]!, isBlocked: true };
    const group = presentGroup(loadedNetwork(), { roleID: null, tags: [], hosts });
    expect(group.hosts.map(({ name }) => name)).toEqual(["b", "c", "a"]);
  });
});

describe("a rule", () => {
  const loaded = loadedNetwork();
  const hostNamed = (name: string) => loaded.network.hosts.find((host) => host.name === name)!;
  const decide = (source: string, destination: string, port: number) =>
    verdict(loaded.network, {
      source: hostNamed(source),
      destination: loaded.network.hosts.find(({ name }) => name === destination)?.addresses[0] ?? destination,
      traffic: { protocol: "TCP", port },
    });

  it.each([
    ["web-1", "database-1", 5432, { type: "role", id: "role-database", name: "Database" }],
    ["web-1", "database-2", 9100, { type: "tag", id: "env:test", name: "env:test" }],
    ["laptop", "192.168.5.9", 80, { type: "route", id: "route-office", name: "Office" }],
  ])("from %s to %s on port %i names where it comes from", (source, destination, port, expected) => {
    const { rules, host } = decide(source, destination, port);
    const presented = rules.map((rule) => presentRule(loaded, rule, host));
    expect(presented).toMatchObject([
      { source: expected, index: 0, rule: { portRange: { from: port, to: port } } },
    ]);
    expect(rules.map((rule) => presentRule(loaded, rule))).toEqual(presented);
    expect(presented[0]?.rule).not.toHaveProperty("compiled");
  });

  it("matches the contract", () => {
    const { rules, host } = decide("laptop", "192.168.5.9", 80);
    const [presented] = rules.map((rule) => presentRule(loaded, rule, host));
    expect(AccessRule.parse(presented)).toEqual(presented);
  });

  it("that is missing names where it has to be added", () => {
    const { smallestRule, failedCheck } = decide("web-1", "database-1", 22);
    expect(presentSmallestRule(loaded, smallestRule!)).toMatchObject({
      target: { type: "role", id: "role-database", name: "Database" },
      rule: { protocol: "TCP", portRange: { from: 22, to: 22 }, allowedRoleID: "role-web" },
      sourceCount: 1,
      destinationCount: 2,
    });
    expect(presentFailedCheck(loaded, failedCheck!)).toEqual({
      kind: "noRule",
      host: { id: "host-database-1", name: "database-1", ipAddress: "10.0.0.21" },
    });
    const { failedCheck: withoutRoute } = decide("web-1", "192.168.5.9", 80);
    expect(presentFailedCheck(loaded, withoutRoute!)).toEqual({ kind: "noRoute", host: null });
  });
});

describe("a counterexample", () => {
  const loaded = loadedNetwork(networkOf());
  const evaluate = (destination: Parameters<typeof evaluateGuarantee>[1]["destination"]) =>
    evaluateGuarantee(loaded.network, {
      id: "guarantee-1",
      type: "MUST_NEVER_REACH",
      source: { type: "host", id: "host-laptop" },
      destination,
      protocol: "TCP",
      portRange: null,
    });

  it("names the hosts, the traffic and the rule", () => {
    const { violation } = evaluate({ type: "role", id: "role-database" });
    const presented = presentCounterexample(loaded, violation!);
    expect(presented).toMatchObject({
      source: { name: "laptop" },
      destination: { host: { name: "database-1" }, address: "10.0.0.21" },
      traffic: { protocol: "TCP", portRange: { from: 22, to: 22 } },
      rule: { source: { type: "role", name: "Database" }, index: 1 },
    });
  });

  it("behind a router has an address only", () => {
    const { violation } = evaluate({ type: "subnet", cidr: "192.168.5.0/24" });
    expect(presentCounterexample(loaded, violation!)).toMatchObject({
      destination: { host: null, address: "192.168.5.1" },
      rule: { source: { type: "route", name: "Office" } },
    });
  });
});
