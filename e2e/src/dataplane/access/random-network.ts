/** Small random networks that use every part of the rules. The same seed gives the same network. */
import type { FirewallRule, RouteFirewallRule } from "@lightkeeper/contract";
import type { AccessHost, AccessNetwork } from "@lightkeeper/nebula/access";
import fc from "fast-check";

interface RandomTag {
  firewallRules: FirewallRule[];
  routeIDs: string[];
}

/** With rules as the API returns them. */
export interface RandomNetwork extends AccessNetwork {
  readonly roles: ReadonlyMap<string, FirewallRule[]>;
  readonly tags: ReadonlyMap<string, RandomTag>;
  readonly routes: readonly {
    id: string;
    routerHostID: string;
    routableCIDRs: Record<string, { install: boolean }>;
    firewallRules: RouteFirewallRule[];
    acceptWiderRules: boolean;
  }[];
}

export const CIDR = "10.128.0.0/24";
export const PORTS = [8001, 8002, 8003];
/** The subnet behind the router, and the addresses of its machine. */
export const LAN = "192.168.55.0/24";
export const LAN_ADDRESSES = ["192.168.55.2", "192.168.55.200"];

export const HOSTS = 7;
const ROUTER = 2;
const ROLES = ["role-red", "role-blue"];
const TAGS = ["tag:one", "tag:two"];
const ROUTE_ID = "route-lan";

const rule: fc.Arbitrary<FirewallRule> = fc.record({
  protocol: fc.constantFrom("ANY", "TCP", "UDP", "ICMP"),
  description: fc.constant(""),
  portRange: fc.constantFrom(null, null, { from: 8001, to: 8001 }, { from: 8002, to: 8003 }),
  allowedRoleID: fc.constantFrom(null, null, ...ROLES),
  allowedTags: fc.constantFrom([], [], ["tag:one"], ["tag:two"], TAGS),
});
/** Without a minimum, most lists would be empty. */
const rules = (minLength: number, maxLength: number) => fc.array(rule, { minLength, maxLength });

const routeRules = fc
  .tuple(rules(0, 3), fc.constantFrom("0.0.0.0/0", LAN, "192.168.55.0/25", "192.168.55.200/32"))
  .map(([some, localCIDR]) => some.map((each) => ({ ...each, localCIDR })));

/** Most hosts are connected; some are blocked, or have a certificate of a CA that no other host trusts. */
const host = (number: number, nebulaVersion: string): fc.Arbitrary<AccessHost> =>
  fc
    .record({
      roleID: fc.constantFrom(null, ...ROLES),
      tags: fc.subarray([...TAGS, "tag:lan"]),
      isBlocked: fc.constantFrom(...Array.from({ length: 9 }, () => false), number > ROUTER),
      caID: fc.constantFrom(...Array.from({ length: 9 }, () => "ca-1"), number > ROUTER ? "ca-2" : "ca-1"),
    })
    .map(({ caID, ...more }) => ({
      id: `host-${number}`,
      name: `host-${number}`,
      address: `10.128.0.${number}`,
      nebulaVersion,
      certificate: { caID, expiresAt: new Date("2100-01-01") },
      ...more,
    }));

const networkOf = (version: string): fc.Arbitrary<RandomNetwork> =>
  fc
    .record({
      roles: fc.tuple(...ROLES.map(() => rules(2, 5))),
      tags: fc.tuple(...TAGS.map(() => rules(1, 2))),
      hosts: fc.tuple(...Array.from({ length: HOSTS }, (_, index) => host(index + 1, version))),
      route: fc.record({
        id: fc.constant(ROUTE_ID),
        routerHostID: fc.constant(`host-${ROUTER}`),
        routableCIDRs: fc.constant({ [LAN]: { install: true } }),
        firewallRules: routeRules,
        acceptWiderRules: fc.boolean(),
      }),
    })
    .map(({ roles, tags, hosts, route }) => ({
      cidr: CIDR,
      now: new Date(),
      trustedCaIDs: new Set(["ca-1"]),
      roles: new Map(ROLES.map((id, index) => [id, roles[index]!])),
      tags: new Map([
        ["tag:lan", { firewallRules: [], routeIDs: [ROUTE_ID] }],
        ...TAGS.map((name, index): [string, RandomTag] => [
          name,
          { firewallRules: tags[index]!, routeIDs: [] },
        ]),
      ]),
      routes: [route],
      hosts,
    }));

export function randomNetwork(version: string, seed: number): RandomNetwork {
  const [network] = fc.sample(networkOf(version), { seed, numRuns: 1 });
  return network!;
}
