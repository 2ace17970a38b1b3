import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hostOf, networkOf } from "../../test-data/access-network.ts";
import { derivedNetworks, twoNetworks } from "../../test-data/random-network.ts";
import type { RouteFirewallRule } from "../firewall.ts";
import { changeNetwork } from "./change-network.ts";
import type { NetworkChanges } from "./change-network.ts";
import { diff } from "./diff.ts";
import type { AccessHost, AccessNetwork, AccessRoute } from "./network.ts";

const sortTexts = (texts: readonly unknown[]) =>
  [...new Set(texts.map((text) => JSON.stringify(text)))].toSorted();

const describeRules = (rules: readonly RouteFirewallRule[] = []) =>
  sortTexts(
    rules.map(({ protocol, portRange, allowedRoleID, allowedTags, localCIDR }) => [
      protocol,
      protocol === "ICMP" ? null : (portRange ?? null),
      allowedRoleID ?? null,
      [...(allowedTags ?? [])].toSorted(),
      localCIDR ?? null,
    ]),
  );

/** Everything that the host's configuration is made of. */
function describeConfiguration(given: AccessNetwork, host: AccessHost): string {
  const describeRoute = ({
    id,
    routableCIDRs,
    acceptWiderRules,
    firewallRules,
    routerHostID,
  }: AccessRoute) => [
    id,
    sortTexts(Object.entries(routableCIDRs)),
    acceptWiderRules,
    describeRules(firewallRules),
    given.hosts.find((each) => each.id === routerHostID)?.addresses ?? null,
    routerHostID,
  ];
  const usedIDs = new Set(host.tags.flatMap((name) => given.tags.get(name)?.routeIDs ?? []));
  const ownRoutes = given.routes.filter(({ routerHostID }) => routerHostID === host.id);
  return JSON.stringify([
    host.roleID,
    [...host.tags].toSorted(),
    describeRules(given.roles.get(host.roleID ?? "")),
    host.tags.toSorted().map((name) => describeRules(given.tags.get(name)?.firewallRules)),
    sortTexts(given.routes.filter(({ id }) => usedIDs.has(id)).map(describeRoute)),
    // The router's own address isn't part of its routes.
    sortTexts(ownRoutes.map((route) => describeRoute(route).toSpliced(4, 1))),
  ]);
}

describe("the hosts that a change affects", () => {
  it("are exactly those with another role, other tags, rules or routes", () => {
    fc.assert(
      fc.property(fc.oneof(derivedNetworks, twoNetworks), ([before, after]) => {
        const expected = after.hosts.filter((host) => {
          const known = before.hosts.find(({ id }) => id === host.id);
          return !known || describeConfiguration(before, known) !== describeConfiguration(after, host);
        });
        const found = diff(before, after).affectedHosts.map(({ id }) => id);
        expect(found.toSorted()).toEqual(expected.map(({ id }) => id).toSorted());
      }),
      { numRuns: 300 },
    );
  });

  const affectedBy = (changes: NetworkChanges) => {
    const before = networkOf();
    return diff(before, changeNetwork(before, changes)).affectedHosts.map(({ name }) => name);
  };

  it("don't include hosts of which only the certificate or the descriptions of rules change", () => {
    const before = networkOf();
    const [web] = before.hosts;
    const described = before.roles.get("role-web")!.map((rule) => ({ ...rule, description: "HTTPS" }));
    expect(affectedBy({ roles: new Map([["role-web", described]]) })).toEqual([]);
    expect(affectedBy({ hosts: new Map([[web!.id, { ...web!, certificate: undefined }]]) })).toEqual([]);
  });

  it("include new hosts, but no deleted ones", () => {
    const added = hostOf("new", "10.0.0.99");
    expect(affectedBy({ hosts: new Map([[added.id, added]]) })).toEqual(["new"]);
    expect(affectedBy({ hosts: new Map([["host-web-1", undefined]]) })).toEqual([]);
  });

  it("include the users of a route whose router gets another address", () => {
    const router = networkOf().hosts.find(({ name }) => name === "router")!;
    const moved = { ...router, addresses: ["10.0.0.77"] };
    expect(affectedBy({ hosts: new Map([[router.id, moved]]) })).toEqual(["laptop"]);
  });
});
