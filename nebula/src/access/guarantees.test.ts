/** Guarantees agree with the verdict on every single pair. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hostOf, networkOf } from "../../test-data/access-network.ts";
import { changes, network, ROLES, TAGS, twoNetworks } from "../../test-data/random-network.ts";
import { changeNetwork } from "./change-network.ts";
import { findCommonAddress, findLocalRouters, isSelected } from "./guarantee.ts";
import type { AccessGuarantee, Violation } from "./guarantee.ts";
import { evaluateGuarantee } from "./guarantees.ts";
import type { AccessHost, AccessNetwork, Traffic } from "./network.ts";
import { findNewViolations } from "./new-violations.ts";
import { findRegions, findUnservedAddress } from "./regions.ts";
import { checkFlow } from "./verdict.ts";

const RUNS = 200;
const IPV4_CIDRS = [
  "192.168.5.0/24",
  "192.168.0.0/16",
  "192.168.5.128/25",
  "172.16.0.0/12",
  "192.168.5.7/32",
];
const IPV6_CIDRS = ["fd05:0:5::/64", "fd05::/32", "fd05:0:5:0:8000::/65", "2001:db8::/32", "fd05:0:5::7/128"];
const CIDRS = [...IPV4_CIDRS, ...IPV6_CIDRS, "fd00::/8"];

const selector = fc.oneof(
  fc.record({ type: fc.constant("role" as const), id: fc.constantFrom(...ROLES) }),
  fc.record({ type: fc.constant("tag" as const), id: fc.constantFrom(...TAGS) }),
  fc.record({ type: fc.constant("host" as const), id: fc.constantFrom("host-1", "host-2", "host-6") }),
  fc.constant({ type: "any" as const }),
);
const guarantee: fc.Arbitrary<AccessGuarantee> = fc.record({
  id: fc.constant("guarantee-1"),
  type: fc.constantFrom("MUST_REACH", "MUST_NEVER_REACH"),
  source: selector,
  destination: fc.oneof(
    { weight: 2, arbitrary: selector },
    { weight: 1, arbitrary: fc.constantFrom(...CIDRS).map((cidr) => ({ type: "subnet" as const, cidr })) },
  ),
  protocol: fc.constantFrom("ANY", "TCP", "UDP", "ICMP"),
  portRange: fc.constantFrom(null, { from: 22, to: 22 }, { from: 15, to: 60 }, { from: 1, to: 65_535 }),
});

/** All hosts can have tunnels, unless the guarantee depends on their CA. */
function connectHosts(given: AccessNetwork, { type }: AccessGuarantee): AccessNetwork {
  const connect = (host: AccessHost): AccessHost => {
    const isUntrusted = host.certificate !== undefined && !given.trustedCaIDs.has(host.certificate.caID);
    const caID = type === "MUST_REACH" && isUntrusted ? "ca-untrusted" : "ca-trusted";
    return { ...host, isBlocked: false, certificate: { caID, expiresAt: new Date("2100-01-01") } };
  };
  return { ...given, trustedCaIDs: new Set(["ca-trusted"]), hosts: given.hosts.map(connect) };
}

/** Both sides of each port where a rule or a guarantee of the tests starts or ends. */
const PORTS = [1, 14, 15, 19, 20, 21, 22, 23, 60, 61, 80, 81, 65_535];

function listTraffic({ type, protocol, portRange }: AccessGuarantee): Traffic[] {
  const isNever = type === "MUST_NEVER_REACH";
  const traffic: Traffic[] = [];
  for (const each of ["TCP", "UDP"] as const) {
    if (protocol !== "ANY" && protocol !== each) continue;
    for (const port of PORTS)
      if (!portRange || (port >= portRange.from && port <= portRange.to))
        traffic.push({ protocol: each, port });
    if (isNever && !portRange) traffic.push({ protocol: each, isFragment: true });
  }
  if (protocol === "ICMP" || (protocol === "ANY" && !portRange)) traffic.push({ protocol: "ICMP" });
  if (protocol === "ANY" && !portRange && isNever) traffic.push({ protocol: "OTHER" });
  return traffic;
}

/** The pairs of a guarantee as texts, and whether each is broken. */
function listPairs(
  given: AccessNetwork,
  wanted: AccessGuarantee,
  regionsOf: readonly AccessNetwork[] = [given],
): Map<string, boolean> {
  const connected = connectHosts(given, wanted);
  const traffic = listTraffic(wanted);
  const isBroken = (source: AccessHost, destinations: readonly string[]) => {
    const allowed = traffic.filter((each) =>
      destinations.some(
        (destination) => checkFlow(connected, { source, destination, traffic: each }).isAllowed,
      ),
    );
    return wanted.type === "MUST_NEVER_REACH" ? allowed.length > 0 : allowed.length < traffic.length;
  };
  const pairs = new Map<string, boolean>();
  for (const source of connected.hosts.filter((host) => isSelected(wanted.source, host)))
    for (const addresses of listDestinations(given, wanted, regionsOf)) {
      const [address = ""] = addresses;
      if (source.addresses.includes(address)) continue;
      const isLocal =
        wanted.destination.type === "subnet" &&
        findLocalRouters(given, address).some(({ id }) => id === source.id);
      const name = given.hosts.find((host) => host.addresses === addresses)?.id ?? address;
      if (!isLocal) pairs.set(`${source.id} ${name}`, isBroken(source, addresses));
    }
  return pairs;
}

/** The addresses of each destination. */
function listDestinations(
  given: AccessNetwork,
  { destination, type }: AccessGuarantee,
  regionsOf: readonly AccessNetwork[],
): (readonly string[])[] {
  if (destination.type !== "subnet")
    return given.hosts.filter((host) => isSelected(destination, host)).map(({ addresses }) => addresses);
  const regions = findRegions(regionsOf);
  const addresses = regions.flatMap((region) => findCommonAddress(region, destination.cidr) ?? []);
  const unserved = findUnservedAddress(destination.cidr, [given], regions);
  const all = unserved !== undefined && type === "MUST_REACH" ? [...addresses, unserved] : addresses;
  return all.map((address) => [address]);
}

function expectBroken(given: AccessNetwork, wanted: AccessGuarantee, { source, ...found }: Violation): void {
  const connected = connectHosts(given, wanted);
  const { protocol, from } = found.traffic;
  const isFragment = from > 65_535;
  const isAllowed = checkFlow(connected, {
    source: connected.hosts.find(({ id }) => id === source.id)!,
    destination: found.address,
    traffic: { protocol, ...(isFragment ? { isFragment } : { port: from }) },
  }).isAllowed;
  expect(isAllowed).toBe(wanted.type === "MUST_NEVER_REACH");
  expect(found.rule !== undefined).toBe(isAllowed);
  expect(found.destination?.addresses.includes(found.address)).toBe(
    wanted.destination.type === "subnet" ? undefined : true,
  );
}

describe("the state of a guarantee", () => {
  it("agrees with the verdict on every pair", () => {
    fc.assert(
      fc.property(network, guarantee, (given, wanted) => {
        const expected = [...listPairs(given, wanted).values()];
        const { violation, ...counts } = evaluateGuarantee(given, wanted);
        expect(counts).toEqual({ pairs: expected.length, brokenPairs: expected.filter(Boolean).length });
        expect(violation !== undefined).toBe(counts.brokenPairs > 0);
        if (violation) expectBroken(given, wanted, violation);
      }),
      { numRuns: RUNS },
    );
  });

  const reach: AccessGuarantee = {
    id: "guarantee-1",
    type: "MUST_REACH",
    source: { type: "role", id: "role-web" },
    destination: { type: "role", id: "role-database" },
    protocol: "TCP",
    portRange: { from: 5432, to: 5432 },
  };

  it("doesn't depend on whether hosts are online", () => {
    const given = networkOf();
    const offline = given.hosts.map((host) => ({ ...host, isBlocked: true, certificate: undefined }));
    expect(evaluateGuarantee(networkOf({ hosts: offline }), reach)).toEqual({ pairs: 6, brokenPairs: 0 });
  });

  it("depends on the CA only if hosts must be reached", () => {
    const given = networkOf({ trustedCaIDs: new Set(["ca-2"]) });
    expect(evaluateGuarantee(given, reach)).toMatchObject({
      pairs: 6,
      brokenPairs: 6,
      violation: { traffic: { protocol: "TCP", from: 5432, to: 5432 }, rule: undefined },
    });
    expect(evaluateGuarantee(given, { ...reach, type: "MUST_NEVER_REACH" })).toMatchObject({
      brokenPairs: 6,
    });
  });

  it("of a subnet without a route is broken only if it must be reached", () => {
    const subnet = { ...reach, destination: { type: "subnet", cidr: "172.16.0.0/12" } } as const;
    expect(evaluateGuarantee(networkOf(), subnet)).toMatchObject({
      pairs: 3,
      brokenPairs: 3,
      violation: { address: "172.16.0.1", destination: undefined },
    });
    const never = { ...subnet, type: "MUST_NEVER_REACH" } as const;
    expect(evaluateGuarantee(networkOf(), never)).toEqual({ pairs: 0, brokenPairs: 0 });
  });

  it("about a subnet is broken if routes serve only a part of what must be reached", () => {
    const route = {
      id: "route-1",
      routerHostID: "host-1",
      routableCIDRs: { "192.168.5.0/24": { install: true } },
      firewallRules: [{ protocol: "ANY" as const }],
      acceptWiderRules: false,
    };
    const given = networkOf({
      hosts: [hostOf("1", "10.0.0.1"), hostOf("2", "10.0.0.2", { tags: ["lan"] })],
      tags: new Map([["lan", { firewallRules: [], routeIDs: ["route-1"] }]]),
      routes: [route],
    });
    const wanted = (cidr: string): AccessGuarantee => ({
      id: "guarantee-1",
      type: "MUST_REACH",
      source: { type: "tag", id: "lan" },
      destination: { type: "subnet", cidr },
      protocol: "ANY",
      portRange: null,
    });
    expect(evaluateGuarantee(given, wanted("192.168.5.0/24"))).toEqual({ pairs: 1, brokenPairs: 0 });
    expect(evaluateGuarantee(given, wanted("192.168.4.0/23"))).toMatchObject({
      pairs: 2,
      brokenPairs: 1,
      violation: { address: "192.168.4.1" },
    });
    const both = { ...route, routableCIDRs: { ...route.routableCIDRs, "192.168.4.0/24": { install: true } } };
    const served = changeNetwork(given, { routes: new Map([["route-1", both]]) });
    const changed = { hostIDs: new Set<string>(), roleIDs: new Set<string>(), tags: new Set<string>() };
    const routeIDs = new Set(["route-1"]);
    expect(evaluateGuarantee(served, wanted("192.168.4.0/23"))).toMatchObject({ brokenPairs: 0 });
    expect(
      findNewViolations(served, given, [wanted("192.168.4.0/23")], { ...changed, routeIDs }),
    ).toHaveLength(1);
    expect(findNewViolations(given, served, [wanted("192.168.4.0/23")], { ...changed, routeIDs })).toEqual(
      [],
    );
  });

  it("is kept by a rule for ports 1 to 65535 if all ports must be reached", () => {
    const all = { protocol: "TCP", portRange: { from: 1, to: 65_535 } } as const;
    const given = networkOf({ roles: new Map([["role-database", [all]]]) });
    expect(evaluateGuarantee(given, { ...reach, portRange: null })).toMatchObject({ brokenPairs: 0 });
  });
});

/** All parts: which of them really differ is for the function to find out. */
const ALL_PARTS = {
  hostIDs: new Set([1, 2, 3, 4, 5, 6].map((number) => `host-${number}`)),
  roleIDs: new Set([1, 2, 3, 4, 5, 6].map((number) => `role-${number}`)),
  tags: new Set([1, 2, 3, 4, 5, 6].map((number) => `tag-${number}`)),
  routeIDs: new Set([1, 2, 3, 4, 5, 6].map((number) => `route-${number}`)),
};

/** Whether a pair is broken after and wasn't before. */
function hasNewBrokenPair(before: AccessNetwork, after: AccessNetwork, wanted: AccessGuarantee): boolean {
  const both = [before, after];
  const [was, is] = [listPairs(before, wanted, both), listPairs(after, wanted, both)];
  return [...is].some(([pair, isBroken]) => isBroken && !was.get(pair));
}

describe("the violations that a change adds", () => {
  const expectAgreement = (
    before: AccessNetwork,
    after: AccessNetwork,
    wanted: AccessGuarantee,
    parts = ALL_PARTS,
  ) => {
    const found = findNewViolations(before, after, [wanted], parts);
    expect(found).toHaveLength(Number(hasNewBrokenPair(before, after, wanted)));
    if (found[0]) expectBroken(after, wanted, found[0].violation);
  };

  it("agree with the verdicts before and after on every pair, also if only the changed parts are given", () => {
    fc.assert(
      fc.property(network, changes, changes, guarantee, (start, first, second, wanted) => {
        const before = changeNetwork(start, first);
        const parts = {
          hostIDs: new Set(second.hosts?.keys()),
          roleIDs: new Set(second.roles?.keys()),
          tags: new Set(second.tags?.keys()),
          routeIDs: new Set(second.routes?.keys()),
        };
        expectAgreement(before, changeNetwork(before, second), wanted, parts);
      }),
      { numRuns: RUNS * 2 },
    );
  });

  it("agree with the verdicts if the networks share nothing", () => {
    fc.assert(
      fc.property(twoNetworks, guarantee, fc.boolean(), ([first, second], wanted, isReversed) => {
        if (isReversed) expectAgreement(second, { ...first, hosts: first.hosts.toReversed() }, wanted);
        else expectAgreement(first, second, wanted);
      }),
      { numRuns: RUNS },
    );
  });

  it("include a subnet to which hosts lose their route", () => {
    const wanted: AccessGuarantee = {
      id: "guarantee-1",
      type: "MUST_REACH",
      source: { type: "tag", id: "team:data" },
      destination: { type: "subnet", cidr: "192.168.5.0/24" },
      protocol: "TCP",
      portRange: { from: 80, to: 80 },
    };
    const before = networkOf();
    const tags = new Map([["team:data", { firewallRules: [], routeIDs: [] }]]);
    const parts = {
      hostIDs: new Set(""),
      roleIDs: new Set(""),
      tags: new Set(tags.keys()),
      routeIDs: new Set(""),
    };
    expect(evaluateGuarantee(before, wanted)).toEqual({ pairs: 1, brokenPairs: 0 });
    expect(findNewViolations(before, changeNetwork(before, { tags }), [wanted], parts)).toMatchObject([
      { violation: { source: { name: "laptop" }, address: "192.168.5.1", destination: undefined } },
    ]);
  });

  it("are none if a role and a tag allow a new host all of the traffic together", () => {
    const ports = (from: number, to: number) => ({ protocol: "TCP", portRange: { from, to } }) as const;
    const before = networkOf({
      roles: new Map([["role-database", [ports(1, 100)]]]),
      tags: new Map([["env:test", { firewallRules: [ports(101, 200)], routeIDs: [] }]]),
    });
    const added = hostOf("new", "10.0.0.99", { roleID: "role-web" });
    const after = changeNetwork(before, { hosts: new Map([[added.id, added]]) });
    const reach = (to: number): AccessGuarantee => ({
      id: "guarantee-1",
      type: "MUST_REACH",
      source: { type: "host", id: added.id },
      destination: { type: "host", id: "host-database-2" },
      protocol: "TCP",
      portRange: { from: 50, to },
    });
    const parts = {
      hostIDs: new Set([added.id]),
      roleIDs: new Set(""),
      tags: new Set(""),
      routeIDs: new Set(""),
    };
    expect(findNewViolations(before, after, [reach(150)], parts)).toEqual([]);
    expect(findNewViolations(before, after, [reach(201)], parts)).toMatchObject([
      { violation: { traffic: { protocol: "TCP", from: 201, to: 201 } } },
    ]);
  });

  it("are none if a guarantee that fails doesn't get worse", () => {
    const before = networkOf();
    const never: AccessGuarantee = {
      id: "guarantee-1",
      type: "MUST_NEVER_REACH",
      source: { type: "any" },
      destination: { type: "role", id: "role-web" },
      protocol: "ANY",
      portRange: null,
    };
    const addHost = (roleID: string) => {
      const added = hostOf("new", "10.0.0.99", { roleID });
      const after = changeNetwork(before, { hosts: new Map([[added.id, added]]) });
      return findNewViolations(before, after, [never], {
        hostIDs: new Set([added.id]),
        roleIDs: new Set(),
        tags: new Set(),
        routeIDs: new Set(),
      });
    };
    // A new source is a new pair.
    expect(addHost("role-database")).toMatchObject([
      { guarantee: never, violation: { source: { name: "new" } } },
    ]);
    const roles = new Map([["role-web", [{ protocol: "TCP", portRange: { from: 80, to: 80 } } as const]]]);
    const after = changeNetwork(before, { roles });
    const parts = { ...ALL_PARTS, roleIDs: new Set(["role-web"]) };
    expect(findNewViolations(before, after, [never], parts)).toEqual([]);
    expect(findNewViolations(before, after, [], parts)).toEqual([]);
  });
});
