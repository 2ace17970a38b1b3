import { expect, it } from "vitest";
import { networkOf } from "../../test-data/access-network.ts";
import { blastRadius } from "./blast-radius.ts";
import { matrix } from "./matrix.ts";
import type { AccessNetwork } from "./network.ts";

function radiusOf(name: string, given: AccessNetwork) {
  const host = given.hosts.find((each) => each.name === name)!;
  const { hosts, regions, steps } = blastRadius(matrix(given), host);
  return {
    hosts: [...hosts].map((each) => each.name),
    regions: [...regions].map(({ cidr }) => cidr),
    origins: steps.map(({ from }) => from?.router.name),
  };
}

it("contains the hosts and the regions that a stolen host reaches", () => {
  expect(radiusOf("web-2", networkOf())).toEqual({
    hosts: ["web-1", "web-3", "database-1", "database-2", "router"],
    regions: [],
    origins: [undefined],
  });
  expect(radiusOf("laptop", networkOf())).toMatchObject({
    regions: ["192.168.5.0/24"],
    origins: [undefined],
  });
});

it("contains what machines behind a router reach, if the destination uses the route too", () => {
  const given = networkOf();
  const closed = networkOf({
    roles: new Map([...given.roles, ["role-web", []], ["role-database", []], ["role-router", []]]),
    tags: new Map([...given.tags, ["env:test", { firewallRules: [], routeIDs: [] }]]),
  });
  expect(radiusOf("laptop", closed)).toEqual({
    hosts: [],
    regions: ["192.168.5.0/24"],
    origins: [undefined],
  });
  const fromRouter = { protocol: "TCP", allowedRoleID: "role-router" } as const;
  const open = { ...closed, roles: new Map([...closed.roles, ["role-database", [fromRouter]]]) };
  // No database uses the route, so none of them answers.
  expect(radiusOf("laptop", open).hosts).toEqual([]);
  const answering = {
    ...open,
    tags: new Map([...open.tags, ["env:test", { firewallRules: [], routeIDs: ["route-office"] }]]),
  };
  expect(radiusOf("laptop", answering)).toMatchObject({
    hosts: ["database-2"],
    origins: [undefined, "router"],
  });
});

it("ends where two networks behind routers reach each other", () => {
  const given = networkOf();
  const ping = { protocol: "ICMP", localCIDR: "0.0.0.0/0" } as const;
  const branch = {
    id: "route-branch",
    routerHostID: "host-web-1",
    routableCIDRs: { "192.168.6.0/24": { install: true } },
    firewallRules: [ping],
    acceptWiderRules: false,
  };
  const office = { ...given.routes[0]!, firewallRules: [ping] };
  const both = ["route-office", "route-branch"];
  const tags = new Map([...given.tags, ["team:data", { firewallRules: [], routeIDs: ["route-office"] }]]);
  for (const name of ["color:red", "router"]) tags.set(name, { firewallRules: [], routeIDs: both });
  const hosts = given.hosts.map((each) => (each.name === "router" ? { ...each, tags: ["router"] } : each));
  const { regions, origins } = radiusOf("laptop", { ...given, routes: [office, branch], tags, hosts });
  expect(regions).toEqual(["192.168.5.0/24", "192.168.6.0/24"]);
  expect(origins).toEqual([undefined, "router", "web-1"]);
});
