/** The answers about classes of hosts agree with the answer about each single pair. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { networkOf } from "../../test-data/access-network.ts";
import { derivedNetworks, network, twoNetworks } from "../../test-data/random-network.ts";
import type { FirewallRule } from "../firewall.ts";
import { ipPrefixContains } from "../ip-prefixes.ts";
import { changeNetwork } from "./change-network.ts";
import { diff } from "./diff.ts";
import type { AccessChange } from "./diff.ts";
import { readPrefix } from "./host-firewall.ts";
import { matrix } from "./matrix.ts";
import type { AccessNetwork, Traffic } from "./network.ts";
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

const withRole = (given: AccessNetwork, roleID: string, firewallRules: readonly FirewallRule[]) => ({
  ...given,
  roles: new Map([...given.roles, [roleID, firewallRules]]),
});

const contains = (ranges: readonly TrafficRange[], traffic: Traffic) =>
  ranges.some(
    ({ protocol, from, to }) =>
      protocol === traffic.protocol && portOf(traffic) >= from && portOf(traffic) <= to,
  );

/** The destination is a host's ID or an address behind a router. */
const isAllowed = (given: AccessNetwork, sourceID: string, destination: string, traffic: Traffic) => {
  const source = given.hosts.find(({ id }) => id === sourceID);
  if (source === undefined) return false;
  const addresses = ROUTED.includes(destination)
    ? [destination]
    : (given.hosts.find(({ id }) => id === destination)?.addresses ?? []);
  return addresses.some((address) => checkFlow(given, { source, destination: address, traffic }).isAllowed);
};

const ROUTED_IPV4 = ["192.168.5.1", "192.168.5.200", "192.168.6.1", "192.168.200.1", "172.16.0.1"];
const ROUTED_IPV6 = ["fd05:0:5::1", "fd05:0:5:0:8000::1", "fd05:6::1", "2001:db8::1"];
/** In each part that a rule or a route may tell apart, and outside of all of them. */
const ROUTED = [...ROUTED_IPV4, ...ROUTED_IPV6];

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

describe("the difference of two networks", () => {
  it("agrees with the verdicts before and after on every pair of hosts, and counts each once", () => {
    fc.assert(
      fc.property(fc.oneof(twoNetworks, derivedNetworks), fc.boolean(), ([first, second], isReversed) => {
        const [before, after] = isReversed ? [second, first] : [first, second];
        const { opened, closed } = diff(before, after);
        const ids = [...new Set([...first.hosts, ...second.hosts].map(({ id }) => id))];
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
      { numRuns: RUNS * 3 },
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

  it("contains a router whose route to all addresses allows a changed host", () => {
    const given = networkOf();
    const route = { ...given.routes[0]!, routableCIDRs: { "0.0.0.0/0": { install: true } } };
    const before = { ...given, roles: new Map(), routes: [route] };
    const host = { ...given.hosts[0]!, tags: ["team:data"] };
    const { opened } = diff(before, changeNetwork(before, { hosts: new Map([[host.id, host]]) }));
    const toHosts = opened.filter(({ destinations }) => destinations.length > 0);
    expect(toHosts.map(({ sources, destinations }) => [sources, destinations])).toEqual([
      [[host], [given.hosts.at(-1)]],
    ]);
  });

  it("is empty if rules are written in another way but allow the same", () => {
    const ports = (from: number, to: number): FirewallRule => ({ protocol: "TCP", portRange: { from, to } });
    const two = withRole(networkOf(), "role-web", [ports(443, 443), ports(444, 444)]);
    const joined = withRole(networkOf(), "role-web", [ports(443, 444)]);
    expect(diff(two, joined)).toMatchObject({ opened: [], closed: [] });
  });
});
