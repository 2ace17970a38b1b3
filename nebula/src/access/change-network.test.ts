import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hostOf, networkOf } from "../../test-data/access-network.ts";
import { changes, network } from "../../test-data/random-network.ts";
import { changeNetwork } from "./change-network.ts";
import type { NetworkChanges } from "./change-network.ts";
import { indexNetwork } from "./network-index.ts";
import type { AccessHost, AccessNetwork } from "./network.ts";

/** The same change, without sharing anything. */
function copyWithChanges(given: AccessNetwork, change: NetworkChanges): AccessNetwork {
  const merge = <Value>(values: Iterable<[string, Value]>, more?: ReadonlyMap<string, Value | undefined>) =>
    [...new Map<string, Value | undefined>([...values, ...(more ?? [])])].filter(
      (entry): entry is [string, Value] => entry[1] !== undefined,
    );
  const byID = <Value extends { id: string }>(items: readonly Value[]) =>
    items.map((item): [string, Value] => [item.id, item]);
  return {
    cidrs: given.cidrs,
    now: change.now ?? given.now,
    trustedCaIDs: change.trustedCaIDs ?? given.trustedCaIDs,
    roles: new Map(merge(given.roles, change.roles)),
    tags: new Map(merge(given.tags, change.tags)),
    routes: merge(byID(given.routes), change.routes).map(([, route]) => route),
    hosts: merge(byID(given.hosts), change.hosts).map(([, host]) => host),
  };
}

const sortByID = (hosts: Iterable<AccessHost>) => [...hosts].toSorted((a, b) => (a.id < b.id ? -1 : 1));
const sorted = (given: AccessNetwork) => ({ ...given, hosts: sortByID(given.hosts) });

function expectSameIndex(given: AccessNetwork, expected: AccessNetwork): void {
  const index = indexNetwork(given);
  for (let number = 1; number <= 6; number += 1) {
    const find = (test: (host: AccessHost) => boolean) => expected.hosts.filter(test);
    const [id, address] = [`host-${number}`, `10.0.0.${number}`];
    expect(index.byID.get(id)).toBe(find((host) => host.id === id)[0]);
    expect(index.byAddress.get(address)).toBe(find((host) => host.addresses.includes(address))[0]);
    const [role, tag] = [`role-${number}`, `tag-${number}`];
    expect(sortByID(index.hostsWithRole(role))).toEqual(sortByID(find(({ roleID }) => roleID === role)));
    expect(sortByID(index.hostsWithTag(tag))).toEqual(sortByID(find(({ tags }) => tags.includes(tag))));
    expect(index.routesByRouterID.get(id) ?? []).toEqual(
      expected.routes.filter(({ routerHostID }) => routerHostID === id),
    );
  }
}

describe("a changed network", () => {
  it("equals a network that is built again, after every step and on every branch", () => {
    fc.assert(
      fc.property(network, fc.array(fc.tuple(fc.nat(), changes), { maxLength: 6 }), (start, steps) => {
        const versions = [{ derived: start, copied: start }];
        for (const [number, change] of steps) {
          const { derived, copied } = versions[number % versions.length]!;
          versions.push({
            derived: changeNetwork(derived, change),
            copied: copyWithChanges(copied, change),
          });
        }
        for (const { derived, copied } of versions) {
          expect(sorted(derived)).toEqual(sorted(copied));
          expectSameIndex(derived, copied);
        }
      }),
      { numRuns: 100 },
    );
  });

  it("shares what doesn't change", () => {
    const before = networkOf();
    const host = { ...before.hosts[0]!, isBlocked: true };
    const after = changeNetwork(before, { hosts: new Map([[host.id, host]]), roles: new Map() });
    expect(after.hosts).toEqual([host, ...before.hosts.slice(1)]);
    for (const part of ["roles", "tags", "routes", "trustedCaIDs", "now"] as const)
      expect(after[part]).toBe(before[part]);
    const later = changeNetwork(after, { now: new Date("2026-01-02") });
    expect(later.hosts).toBe(after.hosts);
    const same = { hosts: new Map([[host.id, host]]), roles: new Map([["role-none", undefined]]) };
    expect(changeNetwork(after, same).hosts).toBe(after.hosts);
    expect(changeNetwork(after, same).roles).toBe(before.roles);
  });

  it("lets hosts exchange their addresses", () => {
    const before = networkOf();
    const [first, second] = [before.hosts[0]!, before.hosts[1]!];
    const hosts = new Map([
      [first.id, { ...first, addresses: second.addresses }],
      [second.id, { ...second, addresses: first.addresses }],
    ]);
    const { byAddress } = indexNetwork(changeNetwork(before, { hosts }));
    expect(byAddress.get(first.addresses[0]!)?.id).toBe(second.id);
    expect(byAddress.get(second.addresses[0]!)?.id).toBe(first.id);
  });

  it("doesn't find a host at its previous address", () => {
    const before = networkOf();
    const [host] = before.hosts;
    const after = changeNetwork(before, {
      hosts: new Map([[host!.id, { ...host!, addresses: ["10.0.0.99"] }]]),
    });
    expect(indexNetwork(after).byAddress.get(host!.addresses[0]!)).toBeUndefined();
    expect(indexNetwork(after).byAddress.get("10.0.0.99")?.id).toBe(host!.id);
  });

  it("keeps its index while many hosts come and go", () => {
    const hostWith = (number: number) =>
      hostOf(`${number}`, `10.${number >> 8}.${number & 255}.1`, { roleID: "r" });
    let given = networkOf({ hosts: [] });
    for (let number = 0; number < 3000; number += 1) {
      const hosts = new Map<string, AccessHost | undefined>([[`host-${number}`, hostWith(number)]]);
      if (number >= 10) hosts.set(`host-${number - 10}`, undefined);
      given = changeNetwork(given, { hosts });
    }
    const expected = Array.from({ length: 10 }, (_, index) => `host-${2990 + index}`);
    expect(given.hosts.map(({ id }) => id)).toEqual(expected);
    const index = indexNetwork(given);
    expect(index.hostsWithRole("r").map(({ id }) => id)).toEqual(expected);
    expect(index.byID.get("host-5")).toBeUndefined();
    expect(index.byAddress.get("10.11.183.1")?.id).toBe("host-2999");
  });
});
