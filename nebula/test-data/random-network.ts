/** Random small networks, in which every rule, tag and route has a chance to matter. In some, all hosts have only IPv4. */
import fc from "fast-check";
import { changeNetwork } from "../src/access/change-network.ts";
import type { NetworkChanges } from "../src/access/change-network.ts";
import type { AccessHost, AccessNetwork, AccessRoute, AccessTag } from "../src/access/network.ts";
import type { FirewallRule } from "../src/firewall.ts";
import { hostOf, networkOf, NOW } from "./access-network.ts";

export const ROLES = ["role-1", "role-2", "role-3"];
export const TAGS = ["tag-1", "tag-2", "tag-3"];

export const rules = fc.array(
  fc.record<FirewallRule>({
    protocol: fc.constantFrom("ANY", "TCP", "UDP", "ICMP"),
    portRange: fc.constantFrom(null, { from: 22, to: 22 }, { from: 20, to: 80 }, { from: 1, to: 65_535 }),
    allowedRoleID: fc.constantFrom(null, ...ROLES),
    allowedTags: fc.subarray(TAGS),
  }),
  { maxLength: 3 },
);
const ipv4 = (number: number) => [`10.0.0.${number}`];
const ipv6 = (number: number) => [`fd00::${number}`];
const both = (number: number) => [...ipv4(number), ...ipv6(number)];

export const host = (number: number, addressSets = [ipv4, ipv6, both]): fc.Arbitrary<AccessHost> =>
  fc
    .record({
      addresses: fc.constantFrom(...addressSets).map((list) => list(number)),
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
    .map((more) => hostOf(`${number}`, more.addresses, more));
const mapOf = <Value>(keys: string[], value: fc.Arbitrary<Value>) =>
  fc
    .array(value, { minLength: keys.length, maxLength: keys.length })
    .map((values) => new Map(keys.map((key, index) => [key, values[index]!])));
const SUBNETS = ["0.0.0.0/0", "192.168.0.0/16", "192.168.5.0/24", "::/0", "fd05::/32", "fd05:0:5::/64"];
const LOCAL_IPV4_CIDRS = ["0.0.0.0/0", "192.168.5.0/24", "192.168.5.128/25", "192.168.0.0/17"];
const LOCAL_IPV6_CIDRS = ["::/0", "fd05:0:5::/64", "fd05:0:5:0:8000::/65"];
export const route = (number: number): fc.Arbitrary<AccessRoute> =>
  fc.record({
    id: fc.constant(`route-${number}`),
    routerHostID: fc.constant(`host-${number}`),
    routableCIDRs: fc
      .subarray(SUBNETS, { minLength: 1, maxLength: 3 })
      .map((cidrs) => Object.fromEntries(cidrs.map((cidr) => [cidr, { install: true }]))),
    firewallRules: fc
      .tuple(rules, fc.constantFrom(...LOCAL_IPV4_CIDRS, ...LOCAL_IPV6_CIDRS))
      .map(([some, localCIDR]) => some.map((rule) => ({ ...rule, localCIDR }))),
    acceptWiderRules: fc.boolean(),
  });
export const tag: fc.Arbitrary<AccessTag> = fc.record({
  firewallRules: rules,
  routeIDs: fc.subarray(["route-1", "route-2", "route-3"]),
});
const hosts = (addressSets?: (typeof both)[]) =>
  fc.tuple(...[1, 2, 3, 4, 5].map((number) => host(number, addressSets)));
export const network: fc.Arbitrary<AccessNetwork> = fc
  .record({
    cidrs: fc.constant(["10.0.0.0/24", "fd00::/64"]),
    roles: mapOf(ROLES, rules),
    tags: mapOf(TAGS, tag),
    hosts: fc.oneof(hosts([ipv4]), hosts()),
    routes: fc.subarray([1, 2, 3]).chain((numbers) => fc.tuple(...numbers.map(route))),
  })
  .map((parts) => networkOf(parts));

/** The second network differs in some of its parts, as after a change. */
export const twoNetworks = fc
  .tuple(
    network,
    network,
    fc.subarray(["roles", "tags", "routes"] as const),
    fc.array(fc.constantFrom("same", "same", "other", "removed"), { minLength: 5, maxLength: 5 }),
  )
  .map(([before, other, changed, states]): [AccessNetwork, AccessNetwork] => {
    const kept = before.hosts.flatMap((each, index) => {
      if (states[index] === "removed") return [];
      return [states[index] === "same" ? each : other.hosts[index]!];
    });
    const parts = Object.fromEntries(changed.map((part) => [part, other[part]]));
    return [before, { ...before, ...parts, hosts: states.includes("other") ? kept : before.hosts }];
  });

const changesOf = <Value>(key: (number: number) => string, value: (number: number) => fc.Arbitrary<Value>) =>
  fc
    .uniqueArray(fc.integer({ min: 1, max: 6 }), { maxLength: 2 })
    .chain((numbers) =>
      fc.tuple(
        ...numbers.map((number) =>
          fc.option(value(number), { nil: undefined, freq: 3 }).map((each) => [key(number), each] as const),
        ),
      ),
    )
    .map((entries) => new Map(entries));

/** A change of a few hosts, roles, tags and routes, of which some are deleted. */
export const changes: fc.Arbitrary<NetworkChanges> = fc.record(
  {
    hosts: changesOf(
      (number) => `host-${number}`,
      (number) => host(number),
    ),
    roles: changesOf(
      (number) => `role-${number}`,
      () => rules,
    ),
    tags: changesOf(
      (number) => `tag-${number}`,
      () => tag,
    ),
    routes: changesOf((number) => `route-${number}`, route),
    trustedCaIDs: fc.subarray(["ca-0", "ca-1"]).map((ids) => new Set(ids)),
    now: fc.constantFrom(NOW, new Date("2026-03-01")),
  },
  { requiredKeys: [] },
);

/** The second network is derived from the first. */
export const derivedNetworks = fc
  .tuple(network, changes, changes)
  .map(([start, first, second]): [AccessNetwork, AccessNetwork] => {
    const before = changeNetwork(start, first);
    return [before, changeNetwork(before, second)];
  });
