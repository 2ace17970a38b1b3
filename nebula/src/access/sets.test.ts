/** The answers about classes of hosts agree with the answer about each single pair. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hostOf, networkOf, NOW } from "../../test-data/access-network.ts";
import type { FirewallRule } from "../firewall.ts";
import { ipPrefixContains } from "../ip-prefixes.ts";
import { diff } from "./diff.ts";
import type { AccessChange } from "./diff.ts";
import { readPrefix } from "./host-firewall.ts";
import { matrix } from "./matrix.ts";
import type { AccessHost, AccessNetwork, AccessRoute, Traffic } from "./network.ts";
import { portOf } from "./port-ranges.ts";
import type { TrafficRange } from "./port-ranges.ts";
import { reach } from "./reach.ts";
import type { Region } from "./regions.ts";
import { checkFlow } from "./verdict.ts";

const TRAFFIC: readonly Traffic[] = [
  ...[22, 80, 81].map((port) => ({ protocol: "TCP" as const, port })),
  { protocol: "TCP", isFragment: true },
  { protocol: "ICMP" },
  { protocol: "OTHER" },
];
const RUNS = 50;
const ROLES = ["role-1", "role-2", "role-3"];
const TAGS = ["tag-1", "tag-2", "tag-3"];

const withRole = (given: AccessNetwork, roleID: string, firewallRules: readonly FirewallRule[]) => ({
  ...given,
  roles: new Map([...given.roles, [roleID, firewallRules]]),
});

const rules = fc.array(
  fc.record<FirewallRule>({
    protocol: fc.constantFrom("ANY", "TCP", "UDP", "ICMP"),
    portRange: fc.constantFrom(null, { from: 22, to: 22 }, { from: 20, to: 80 }, { from: 1, to: 65_535 }),
    allowedRoleID: fc.constantFrom(null, ...ROLES),
    allowedTags: fc.subarray(TAGS),
  }),
  { maxLength: 3 },
);
const host = (number: number): fc.Arbitrary<AccessHost> =>
  fc
    .record({
      roleID: fc.constantFrom(null, ...ROLES),
      tags: fc.subarray(TAGS),
      isBlocked: fc.constantFrom(false, false, false, true),
      nebulaVersion: fc.constantFrom(undefined, "1.6.1", "1.9.3"),
      certificate: fc.constantFrom(
        ...Array.from({ length: 4 }, () => ({ caID: "ca-1", expiresAt: new Date("2026-02-01") })),
        { caID: "ca-1", expiresAt: NOW },
        { caID: "ca-0", expiresAt: new Date("2026-02-01") },
        undefined,
      ),
    })
    .map((more) => hostOf(`${number}`, `10.0.0.${number}`, more));
const mapOf = <Value>(keys: string[], value: fc.Arbitrary<Value>) =>
  fc
    .array(value, { minLength: keys.length, maxLength: keys.length })
    .map((values) => new Map(keys.map((key, index) => [key, values[index]!])));
const SUBNETS = ["0.0.0.0/0", "192.168.0.0/16", "192.168.5.0/24"];
const LOCAL_CIDRS = ["0.0.0.0/0", "192.168.5.0/24", "192.168.5.128/25", "192.168.0.0/17"];
const route = (number: number): fc.Arbitrary<AccessRoute> =>
  fc.record({
    id: fc.constant(`route-${number}`),
    routerHostID: fc.constant(`host-${number}`),
    routableCIDRs: fc
      .subarray(SUBNETS, { minLength: 1, maxLength: 2 })
      .map((cidrs) => Object.fromEntries(cidrs.map((cidr) => [cidr, { install: true }]))),
    firewallRules: fc
      .tuple(rules, fc.constantFrom(...LOCAL_CIDRS))
      .map(([some, localCIDR]) => some.map((rule) => ({ ...rule, localCIDR }))),
    acceptWiderRules: fc.boolean(),
  });
const network: fc.Arbitrary<AccessNetwork> = fc
  .record({
    roles: mapOf(ROLES, rules),
    tags: mapOf(
      TAGS,
      fc.record({ firewallRules: rules, routeIDs: fc.subarray(["route-1", "route-2", "route-3"]) }),
    ),
    hosts: fc.tuple(...[1, 2, 3, 4, 5].map(host)),
    routes: fc.subarray([1, 2, 3]).chain((numbers) => fc.tuple(...numbers.map(route))),
  })
  .map(networkOf);

const contains = (ranges: readonly TrafficRange[], traffic: Traffic) =>
  ranges.some(
    ({ protocol, from, to }) =>
      protocol === traffic.protocol && portOf(traffic) >= from && portOf(traffic) <= to,
  );

/** The destination is a host's ID or an address behind a router. */
const isAllowed = (given: AccessNetwork, sourceID: string, destination: string, traffic: Traffic) => {
  const source = given.hosts.find(({ id }) => id === sourceID);
  const address = given.hosts.find(({ id }) => id === destination)?.address ?? destination;
  if (source === undefined || !/^\d/.test(address)) return false;
  return checkFlow(given, { source, destination: address, traffic }).isAllowed;
};

/** In each part that a rule or a route may tell apart, and outside of all of them. */
const ROUTED = ["192.168.5.1", "192.168.5.200", "192.168.6.1", "192.168.200.1", "172.16.0.1"];

const isInRegion = ({ cidr, except }: Region, address: string) =>
  ipPrefixContains(readPrefix(cidr), readPrefix(address)) &&
  !except.some((part) => ipPrefixContains(readPrefix(part), readPrefix(address)));

describe("the matrix and the reach of a host", () => {
  it("agree with the verdict on every pair of hosts", () => {
    fc.assert(
      fc.property(network, (given) => {
        const all = matrix(given);
        expect(all.classes.flatMap(({ hosts }) => hosts)).toHaveLength(given.hosts.length);
        for (const source of given.hosts) {
          const { outbound, inbound, outboundRegions } = reach(all, source);
          for (const address of ROUTED)
            for (const traffic of TRAFFIC) {
              const found = outboundRegions.filter(
                (each) => isInRegion(each.region, address) && contains(each.traffic, traffic),
              );
              expect(found).toHaveLength(Number(isAllowed(given, source.id, address, traffic)));
            }
          for (const other of given.hosts.filter(({ id }) => id !== source.id)) {
            for (const traffic of TRAFFIC) {
              const isIn = (groups: typeof outbound) =>
                groups.some((group) => group.hosts.includes(other) && contains(group.traffic, traffic));
              expect(isIn(outbound)).toBe(isAllowed(given, source.id, other.id, traffic));
              expect(isIn(inbound)).toBe(isAllowed(given, other.id, source.id, traffic));
            }
          }
        }
      }),
      { numRuns: RUNS },
    );
  });
});

/** How often the changes contain the traffic. */
const countIn = (
  changes: readonly AccessChange[],
  source: string,
  destination: string,
  traffic: Traffic,
): number => {
  const isDestination = ({ destinations, regions }: AccessChange) =>
    ROUTED.includes(destination)
      ? regions.some((region) => isInRegion(region, destination))
      : destinations.some(({ id }) => id === destination);
  return changes.filter(
    (change) =>
      change.sources.some(({ id }) => id === source) &&
      isDestination(change) &&
      contains(change.traffic, traffic),
  ).length;
};

/** The second network differs in some of its parts, as after a change. */
const twoNetworks = fc
  .tuple(
    network,
    network,
    fc.subarray(["roles", "tags", "routes"] as const),
    fc.array(fc.constantFrom("same", "same", "other", "removed"), { minLength: 5, maxLength: 5 }),
  )
  .map(([before, other, changed, hosts]): [AccessNetwork, AccessNetwork] => {
    const kept = before.hosts.flatMap((each, index) => {
      if (hosts[index] === "removed") return [];
      return [hosts[index] === "same" ? each : other.hosts[index]!];
    });
    const parts = Object.fromEntries(changed.map((part) => [part, other[part]]));
    return [before, { ...before, ...parts, hosts: hosts.includes("other") ? kept : before.hosts }];
  });

describe("the difference of two networks", () => {
  it("agrees with the verdicts before and after on every pair of hosts, and counts each once", () => {
    fc.assert(
      fc.property(twoNetworks, fc.boolean(), ([first, second], isReversed) => {
        const [before, after] = isReversed ? [second, first] : [first, second];
        const { opened, closed } = diff(before, after);
        const ids = first.hosts.map(({ id }) => id);
        for (const source of ids)
          for (const destination of [...ids.filter((id) => id !== source), ...ROUTED])
            for (const traffic of TRAFFIC) {
              const was = isAllowed(before, source, destination, traffic);
              const is = isAllowed(after, source, destination, traffic);
              const found = [opened, closed].map((each) => countIn(each, source, destination, traffic));
              if (found[0] !== Number(is && !was) || found[1] !== Number(was && !is))
                expect.fail(JSON.stringify({ source, destination, traffic, was, is, found }));
            }
      }),
      { numRuns: RUNS },
    );
  });

  it("counts pairs of different hosts", () => {
    const before = networkOf();
    const after = withRole(before, "role-web", [{ protocol: "ICMP", allowedRoleID: "role-web" }]);
    const { opened, closed } = diff(before, after);
    // Three web servers to each other, and all seven hosts to the three web servers.
    expect(opened.map(({ pairs }) => pairs)).toEqual([6]);
    expect(closed.map(({ pairs }) => pairs)).toEqual([18]);
    expect(opened[0]?.traffic).toEqual([{ protocol: "ICMP", from: 0, to: 65_536 }]);
    expect(closed[0]?.traffic).toEqual([{ protocol: "TCP", from: 443, to: 443 }]);
  });

  it("is empty if rules are written in another way but allow the same", () => {
    const ports = (from: number, to: number): FirewallRule => ({ protocol: "TCP", portRange: { from, to } });
    const two = withRole(networkOf(), "role-web", [ports(443, 443), ports(444, 444)]);
    const joined = withRole(networkOf(), "role-web", [ports(443, 444)]);
    expect(diff(two, joined)).toEqual({ opened: [], closed: [] });
  });
});
