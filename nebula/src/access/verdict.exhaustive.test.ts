/** Every small case, compared with a second implementation. */
import { expect, it } from "vitest";
import { naiveVerdict } from "../../test-data/naive-verdict.ts";
import type { FirewallRule, RouteFirewallRule } from "../firewall.ts";
import type { AccessHost, AccessNetwork, Traffic } from "./network.ts";
import { checkFlow } from "./verdict.ts";

const NOW = new Date("2026-01-01");
const certificate = { caID: "ca", expiresAt: new Date("2026-02-01") };
const hostOf = (id: string, number: number, more: Partial<AccessHost> = {}): AccessHost => ({
  id,
  name: id,
  addresses: [`10.0.0.${number}`],
  roleID: null,
  tags: [],
  isBlocked: false,
  certificate,
  ...more,
});

const VERSIONS = ["1.6.1", "1.9.3", "1.11.0"];
const SOURCES: readonly Partial<AccessHost>[] = [
  {},
  { roleID: "r1" },
  { roleID: "r2", tags: ["t1"] },
  { roleID: "r1", tags: ["t1", "t2"] },
  { tags: ["t2"] },
];
const TRAFFIC: readonly Traffic[] = [
  { protocol: "TCP", port: 22 },
  { protocol: "TCP", isFragment: true },
  { protocol: "UDP", port: 22 },
  { protocol: "ICMP" },
  { protocol: "OTHER" },
];
const RULES: readonly FirewallRule[] = (["ANY", "TCP", "UDP", "ICMP"] as const).flatMap((protocol) =>
  [null, { from: 22, to: 22 }, { from: 80, to: 90 }].flatMap((portRange) =>
    [null, "r1"].flatMap((allowedRoleID) =>
      [[], ["t1"], ["t1", "t2"]].map((allowedTags) => ({ protocol, portRange, allowedRoleID, allowedTags })),
    ),
  ),
);
/** For the cases with several versions of Nebula. */
const FEW_RULES = RULES.filter(
  ({ protocol, portRange, allowedTags }) =>
    protocol !== "UDP" && portRange?.from !== 80 && allowedTags!.length < 2,
);
const LOCAL_CIDRS = ["0.0.0.0/0", "192.168.0.0/16", "192.168.5.0/24", "192.168.5.128/25", "192.168.6.0/24"];

interface Case {
  roleRules?: readonly FirewallRule[];
  tagRules?: readonly FirewallRule[];
  routeRules?: readonly RouteFirewallRule[];
  subnets?: readonly string[];
  isBlockedRouter?: boolean;
  acceptWiderRules?: boolean;
  version?: string | undefined;
}

/** A source, and a host with the rules that is also a router; the source uses its route. */
function networkOf(source: Partial<AccessHost>, given: Case): AccessNetwork {
  const router = {
    roleID: "role",
    tags: ["tag"],
    nebulaVersion: given.version,
    isBlocked: given.isBlockedRouter ?? false,
  };
  return {
    cidrs: ["10.0.0.0/24"],
    now: NOW,
    trustedCaIDs: new Set(["ca"]),
    roles: new Map([["role", given.roleRules ?? []]]),
    tags: new Map([
      ["tag", { firewallRules: given.tagRules ?? [], routeIDs: [] }],
      ["route", { firewallRules: [], routeIDs: ["route"] }],
    ]),
    routes: [
      {
        id: "route",
        routerHostID: "router",
        routableCIDRs: Object.fromEntries((given.subnets ?? []).map((cidr) => [cidr, { install: true }])),
        firewallRules: given.routeRules ?? [],
        acceptWiderRules: given.acceptWiderRules ?? false,
      },
    ],
    hosts: [
      hostOf("source", 1, {
        ...source,
        tags: [...(source.tags ?? []), "route"],
        nebulaVersion: given.version,
      }),
      hostOf("router", 2, router),
    ],
  };
}

const DESTINATIONS = ["10.0.0.2", "192.168.5.1", "192.168.5.200", "172.16.0.1"];

/** Returns how many flows were compared, and how many of them are allowed. */
function compare(cases: Iterable<Case>): { compared: number; allowed: number } {
  let [compared, allowed] = [0, 0];
  for (const given of cases)
    for (const source of SOURCES) {
      const network = networkOf(source, given);
      for (const destination of DESTINATIONS)
        for (const traffic of TRAFFIC) {
          const flow = { source: network.hosts[0]!, destination, traffic };
          const expected = naiveVerdict(network, flow);
          const { isAllowed } = checkFlow(network, flow);
          if (isAllowed !== expected)
            expect.fail(JSON.stringify({ given, source, destination, traffic, isAllowed, expected }));
          compared += 1;
          allowed += Number(isAllowed);
        }
    }
  return { compared, allowed };
}

it("agrees on every rule of a role and of a tag", () => {
  const cases = RULES.flatMap((rule) => [{ roleRules: [rule] }, { tagRules: [rule] }]);
  expect(compare(cases)).toEqual({ compared: 14_400, allowed: 360 });
});

it("agrees on every rule of a route, with every version of Nebula", () => {
  const subnets = [["192.168.5.0/24"], ["192.168.5.0/24", "172.16.0.0/12"], ["0.0.0.0/0"], []];
  function* cases(): Generator<Case> {
    for (const rule of FEW_RULES)
      for (const localCIDR of LOCAL_CIDRS)
        for (const version of VERSIONS)
          yield {
            routeRules: [{ ...rule, localCIDR }],
            subnets: subnets[(FEW_RULES.indexOf(rule) + LOCAL_CIDRS.indexOf(localCIDR)) % subnets.length]!,
            acceptWiderRules: FEW_RULES.indexOf(rule) % 2 === 0,
            version,
          };
  }
  expect(compare(cases())).toEqual({ compared: 36_000, allowed: 2484 });
});

it("agrees on a router with rules of its own, with every version of Nebula", () => {
  function* cases(): Generator<Case> {
    for (const rule of FEW_RULES)
      for (const version of VERSIONS)
        for (const acceptWiderRules of [true, false])
          yield { roleRules: [rule], subnets: ["192.168.5.0/24"], acceptWiderRules, version };
    yield { roleRules: RULES, subnets: ["192.168.5.0/24"], isBlockedRouter: true };
  }
  expect(compare(cases())).toEqual({ compared: 14_500, allowed: 960 });
});
