/** Networks with IPv4 and IPv6 addresses. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hostOf, tcp } from "../../test-data/access-network.ts";
import { hostNamed, LAN, mixedNetwork } from "../../test-data/mixed-network.ts";
import { naiveVerdict } from "../../test-data/naive-verdict.ts";
import { network as randomNetwork } from "../../test-data/random-network.ts";
import { blastRadius } from "./blast-radius.ts";
import { changeNetwork } from "./change-network.ts";
import { checkPairs, checkPairsWithAddress } from "./check-pairs.ts";
import type { AccessGuarantee } from "./guarantee.ts";
import { evaluateGuarantee } from "./guarantees.ts";
import { matrix } from "./matrix.ts";
import { indexNetwork } from "./network-index.ts";
import type { AccessNetwork, Traffic } from "./network.ts";
import { reach } from "./reach.ts";
import { listRegions } from "./regions.ts";
import { checkFlow, verdict } from "./verdict.ts";

const HTTPS: Traffic = { protocol: "TCP", port: 443 };

const check = (given: AccessNetwork, source: string, destination: string, traffic = HTTPS) =>
  verdict(given, { source: hostNamed(given, source), destination, traffic });

/** The network, in which the router has other addresses. */
const withRouter = (addresses: string[]) => {
  const given = mixedNetwork();
  const router = { ...hostNamed(given, "router"), addresses };
  return changeNetwork(given, { hosts: new Map([[router.id, router]]) });
};

describe("a connection", () => {
  it("agrees with a second implementation for every pair of addresses", () => {
    const routed = ["192.168.5.1", "192.168.6.1", "fd05:0:5::1", "fd05:0:5:0:8000::1", "2001:db8::1"];
    const traffic: Traffic[] = [{ protocol: "TCP", port: 22 }, { protocol: "ICMP" }, { protocol: "OTHER" }];
    fc.assert(
      fc.property(randomNetwork, (given) => {
        for (const source of given.hosts)
          for (const destination of [...given.hosts.flatMap(({ addresses }) => addresses), ...routed])
            for (const each of traffic) {
              const flow = { source, destination, traffic: each };
              const { isAllowed } = checkFlow(given, flow);
              if (isAllowed !== naiveVerdict(given, flow)) expect.fail(JSON.stringify({ flow, isAllowed }));
            }
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ["ipv4", "10.0.0.10"],
    ["ipv6", "fd00::10"],
    ["both", "10.0.0.4"],
    ["both", "fd00::6"],
    ["ipv6", "fd05:0:5::7"],
    ["both", "fd05:0:5::7"],
  ])("from %s to %s is allowed", (source, destination) => {
    expect(check(mixedNetwork(), source, destination)).toMatchObject({ isAllowed: true });
  });

  it.each([
    ["ipv4", "fd00::6"],
    ["ipv4", "fd00::10"],
    ["ipv6", "10.0.0.10"],
    ["ipv4", "fd05:0:5::7"],
  ])("from %s to %s fails because the source has no address of the family", (source, destination) => {
    expect(check(mixedNetwork(), source, destination).failedCheck).toEqual({
      kind: "noCommonFamily",
      hostID: `host-${source}`,
    });
  });

  it("to a subnet fails if its router has no address of the family", () => {
    expect(check(withRouter(["10.0.0.1"]), "both", "fd05:0:5::7")).toMatchObject({
      failedCheck: { kind: "noCommonFamily", hostID: "host-router" },
      route: { subnet: LAN },
    });
    expect(check(withRouter(["fd00::1"]), "both", "fd05:0:5::7").isAllowed).toBe(true);
  });

  it("is the same for every form of an IPv6 address", () => {
    const given = mixedNetwork();
    for (const form of ["fd00::10", "FD00::0010", "fd00:0:0:0:0:0:0:10", "fd00::0:10"]) {
      expect(indexNetwork(given).byAddress.get(form)?.name).toBe("both");
      expect(check(given, "ipv6", form).isAllowed).toBe(true);
      expect(check(given, "both", form).failedCheck).toEqual({ kind: "sameHost" });
    }
    expect(indexNetwork(given).byAddress.get("10.0.0.10")?.name).toBe("both");
    expect(indexNetwork(given).byAddress.get("fd00::x")).toBeUndefined();
  });

  it("to an IPv6 subnet that no rule allows needs a rule for one address", () => {
    const ssh = { protocol: "TCP", port: 22 } as const;
    expect(check(mixedNetwork(), "ipv6", "FD05:0:5::7", ssh).smallestRule).toMatchObject({
      target: { kind: "route", id: "route-lan" },
      rule: { localCIDR: "fd05:0:5::7/128" },
    });
  });
});

describe("a check of pairs", () => {
  it("chooses an address that both hosts can use", () => {
    const given = mixedNetwork();
    const [ipv6, both] = [hostNamed(given, "ipv6"), hostNamed(given, "both")];
    expect(checkPairs(given, [ipv6], [both], HTTPS)).toMatchObject({
      allowedPairs: 1,
      example: { address: "fd00::10" },
    });
    expect(checkPairs(given, [hostNamed(given, "ipv4")], [ipv6], HTTPS)).toMatchObject({
      allowedPairs: 0,
      example: { address: "fd00::6" },
    });
  });

  it("with one address of a host doesn't use the other", () => {
    const given = mixedNetwork();
    const found = (address: string) => checkPairsWithAddress(given, given.hosts, address, HTTPS);
    expect(found("10.0.0.10")).toMatchObject({ pairs: 3, allowedPairs: 2 });
    expect(found("fd00::10")).toMatchObject({
      pairs: 3,
      allowedPairs: 2,
      example: { source: { name: "ipv4" } },
    });
  });
});

describe("classes of hosts", () => {
  const listClasses = (given: AccessNetwork) =>
    matrix(given).classes.map(({ hosts }) => hosts.map(({ name }) => name));

  it("are divided by families if two hosts have none in common, or if a route leads to one of them", () => {
    expect(listClasses(mixedNetwork())).toEqual([["ipv4"], ["ipv6"], ["both"], ["router"]]);
    const withoutIpv6 = mixedNetwork().hosts.filter(({ name }) => name !== "ipv6");
    expect(listClasses(mixedNetwork({ hosts: withoutIpv6 }))).toEqual([["ipv4"], ["both"], ["router"]]);
  });

  it("contain hosts of different families otherwise", () => {
    const given = mixedNetwork({ routes: [] });
    const listWithout = (missing: string) =>
      listClasses({ ...given, hosts: given.hosts.filter(({ name }) => name !== missing) });
    expect(listWithout("ipv6")).toEqual([["ipv4", "both"], ["router"]]);
    expect(listWithout("ipv4")).toEqual([["ipv6", "both"], ["router"]]);
  });

  it("reach only hosts with a family in common", () => {
    const given = mixedNetwork();
    const reached = (name: string) =>
      reach(matrix(given), hostNamed(given, name)).outbound.flatMap(({ hosts }) =>
        hosts.map((host) => host.name),
      );
    expect(reached("ipv4")).toEqual(["both"]);
    expect(reached("ipv6")).toEqual(["both"]);
    expect(reached("both")).toEqual(["ipv4", "ipv6"]);
  });
});

describe("a guarantee", () => {
  const guarantee = (more: Partial<AccessGuarantee>): AccessGuarantee => ({
    id: "guarantee-1",
    type: "MUST_REACH",
    source: { type: "host", id: "host-ipv6" },
    destination: { type: "host", id: "host-both" },
    protocol: "TCP",
    portRange: { from: 443, to: 443 },
    ...more,
  });

  it("names an address that the source can use", () => {
    const never = guarantee({ type: "MUST_NEVER_REACH" });
    expect(evaluateGuarantee(mixedNetwork(), never).violation).toMatchObject({
      destination: { name: "both" },
      address: "fd00::10",
    });
  });

  it("names the address to which the rule of a route applies", () => {
    const [route] = mixedNetwork().routes;
    const toAll = { ...route!, routableCIDRs: { "::/0": { install: true } } };
    const never = guarantee({
      type: "MUST_NEVER_REACH",
      source: { type: "host", id: "host-both" },
      destination: { type: "host", id: "host-router" },
    });
    expect(evaluateGuarantee(mixedNetwork({ routes: [toAll] }), never).violation).toMatchObject({
      destination: { name: "router" },
      address: "fd00::1",
    });
  });

  it("is broken if a host must be reached that has no family in common", () => {
    expect(evaluateGuarantee(mixedNetwork(), guarantee({}))).toEqual({ pairs: 1, brokenPairs: 0 });
    const toIpv4 = guarantee({ destination: { type: "host", id: "host-ipv4" } });
    expect(evaluateGuarantee(mixedNetwork(), toIpv4)).toMatchObject({
      brokenPairs: 1,
      violation: { address: "10.0.0.4", rule: undefined },
    });
  });

  it("about an IPv6 subnet depends on the families of hosts and routers", () => {
    const wanted = guarantee({
      source: { type: "role", id: "role-web" },
      destination: { type: "subnet", cidr: LAN },
    });
    expect(evaluateGuarantee(mixedNetwork(), wanted)).toMatchObject({
      pairs: 3,
      brokenPairs: 1,
      violation: { source: { name: "ipv4" }, address: "fd05:0:5::1" },
    });
    expect(evaluateGuarantee(withRouter(["10.0.0.1"]), wanted)).toMatchObject({ brokenPairs: 3 });
  });
});

it("represents all addresses by one that is used in the Internet", () => {
  const [route] = mixedNetwork().routes;
  const routes = [{ ...route!, routableCIDRs: { "::/0": { install: true } } }];
  expect(listRegions(mixedNetwork({ routes }))).toMatchObject([{ cidr: "::/0", address: "2000::1" }]);
});

it("limits machines behind a router to the family of their subnet", () => {
  const { hosts, routes, ...given } = mixedNetwork();
  const routeTo = (id: string, routerHostID: string, cidr: string) => ({
    ...routes[0]!,
    id,
    routerHostID,
    routableCIDRs: { [cidr]: { install: true } },
  });
  const router = { ...hostNamed(mixedNetwork(), "router"), roleID: "role-router", tags: ["all"] };
  const client = hostOf("client", "fd00::99", { tags: ["lan"] });
  const network = {
    ...given,
    routes: [
      routeTo("route-lan", router.id, LAN),
      routeTo("route-ipv4", "host-both", "192.168.5.0/24"),
      // Its rule applies to the IPv4 address of the gateway too.
      { ...routeTo("route-all", "host-gateway", "0.0.0.0/0"), firewallRules: [tcp(443, "role-router")] },
    ],
    tags: new Map([
      ["lan", { firewallRules: [], routeIDs: ["route-lan"] }],
      ["all", { firewallRules: [], routeIDs: ["route-ipv4"] }],
    ]),
    roles: new Map([["role-web", [tcp(443, "role-router")]]]),
    hosts: [
      ...hosts.filter(({ name }) => name !== "router"),
      router,
      client,
      hostOf("gateway", ["10.0.0.2", "fd00::2"], { tags: ["lan"] }),
    ],
  };
  const { hosts: reached, regions } = blastRadius(matrix(network), client);
  expect([...reached].map(({ name }) => name)).toEqual(["ipv6", "both"]);
  expect([...regions].map(({ cidr }) => cidr)).toEqual([LAN]);
});
