/** Changes of networks with IPv4 and IPv6 addresses. */
import { describe, expect, it } from "vitest";
import { hostOf, tcp } from "../../test-data/access-network.ts";
import { hostNamed, LAN, mixedNetwork } from "../../test-data/mixed-network.ts";
import { changeNetwork } from "./change-network.ts";
import type { NetworkChanges } from "./change-network.ts";
import { diff } from "./diff.ts";
import type { AccessGuarantee } from "./guarantee.ts";
import type { AccessHost, AccessNetwork } from "./network.ts";
import { findNewViolations } from "./new-violations.ts";

/** What the change opens and closes, as pairs of names. */
function describeChanges(before: AccessNetwork, after: AccessNetwork) {
  const { opened, closed } = diff(before, after);
  const [openedPairs, closedPairs] = [opened, closed].map((changes) =>
    changes
      .flatMap(({ sources, destinations, regions }) =>
        sources.flatMap((source) =>
          [...destinations.map(({ name }) => name), ...regions.map(({ cidr }) => cidr)]
            .filter((destination) => destination !== source.name)
            .map((destination) => `${source.name} > ${destination}`),
        ),
      )
      .toSorted(),
  );
  return { opened: openedPairs, closed: closedPairs };
}

const withHost = (given: AccessNetwork, host: AccessHost) =>
  changeNetwork(given, { hosts: new Map([[host.id, host]]) });

/** The IPv4-only host gets an IPv6 address too. */
const addIpv6 = (given: AccessNetwork) =>
  withHost(given, { ...hostNamed(given, "ipv4"), addresses: ["10.0.0.4", "fd00::4"] });

describe("a change", () => {
  it("of addresses opens and closes what needs their family", () => {
    const before = mixedNetwork();
    const pairs = [`ipv4 > ${LAN}`, "ipv4 > ipv6", "ipv6 > ipv4"];
    expect(describeChanges(before, addIpv6(before))).toEqual({ opened: pairs, closed: [] });
    expect(describeChanges(addIpv6(before), before)).toEqual({ opened: [], closed: pairs });
  });

  it("of a rule counts only hosts with a family in common", () => {
    const before = mixedNetwork();
    const after = changeNetwork(before, { roles: new Map([["role-web", [tcp(443), tcp(80, "role-web")]]]) });
    expect(describeChanges(before, after)).toEqual({
      opened: ["both > ipv4", "both > ipv6", "ipv4 > both", "ipv6 > both"],
      closed: [],
    });
  });

  it("of the network's ranges closes the subnets inside of a new one", () => {
    const before = mixedNetwork();
    const cidrs = ["10.0.0.0/24", "fd00::/64", "fd05::/32"];
    expect(describeChanges(before, changeNetwork(before, { cidrs }))).toEqual({
      opened: [],
      closed: [`both > ${LAN}`, `ipv6 > ${LAN}`],
    });
    const [route] = before.routes;
    const toAll = { ...before, routes: [{ ...route!, routableCIDRs: { "::/0": { install: true } } }] };
    expect(describeChanges(toAll, changeNetwork(toAll, { cidrs }))).toEqual({
      opened: [],
      closed: ["both > fd05::/32", "ipv6 > fd05::/32"],
    });
  });
});

describe("the violations that a change adds", () => {
  const NOTHING = new Set<string>();
  const parts = { hostIDs: NOTHING, roleIDs: NOTHING, tags: NOTHING, routeIDs: NOTHING };
  const guarantee = (more: Partial<AccessGuarantee>): AccessGuarantee => ({
    id: "guarantee-1",
    type: "MUST_NEVER_REACH",
    source: { type: "host", id: "host-ipv4" },
    destination: { type: "host", id: "host-ipv6" },
    protocol: "TCP",
    portRange: { from: 443, to: 443 },
    ...more,
  });
  const countViolations = (before: AccessNetwork, after: AccessNetwork, more: Partial<AccessGuarantee>) =>
    findNewViolations(before, after, [guarantee(more)], parts).length;

  it("include hosts that get a family in common, or lose it", () => {
    const before = mixedNetwork();
    expect(countViolations(before, addIpv6(before), {})).toBe(1);
    expect(countViolations(addIpv6(before), before, {})).toBe(0);
    expect(countViolations(addIpv6(before), before, { type: "MUST_REACH" })).toBe(1);
  });

  it("depend on the families of a new source", () => {
    const before = mixedNetwork();
    const countWith = (address: string, type: AccessGuarantee["type"]) =>
      countViolations(before, withHost(before, hostOf("new", address)), {
        type,
        source: { type: "host", id: "host-new" },
      });
    expect(countWith("10.0.0.99", "MUST_NEVER_REACH")).toBe(0);
    expect(countWith("fd00::99", "MUST_NEVER_REACH")).toBe(1);
    expect(countWith("10.0.0.99", "MUST_REACH")).toBe(1);
    expect(countWith("fd00::99", "MUST_REACH")).toBe(0);
  });

  it("include subnets inside of a new range of the network", () => {
    const before = mixedNetwork();
    const wanted = {
      type: "MUST_REACH",
      source: { type: "host", id: "host-both" },
      destination: { type: "subnet", cidr: LAN },
    } as const;
    const countAfter = (changes: NetworkChanges) =>
      countViolations(before, changeNetwork(before, changes), wanted);
    expect(countAfter({ cidrs: ["10.0.0.0/24", "fd05:0:5::/56"] })).toBe(1);
    expect(countAfter({})).toBe(0);
  });
});
