/** Small random networks that use every part of the rules. The same seed and kind give the same network. */
import type { FirewallRule, RouteFirewallRule } from "@lightkeeper/contract";
import type { AccessHost, AccessNetwork } from "@lightkeeper/nebula/access";
import fc from "fast-check";

interface RandomTag {
  firewallRules: FirewallRule[];
  routeIDs: string[];
}

/** With rules as the API returns them. */
export interface RandomNetwork extends AccessNetwork {
  readonly certVersion: 1 | 2;
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

/** The addresses of a host, by its number. */
const ipv4 = (number: number) => [`10.128.0.${number}`];
const ipv6 = (number: number) => [`fd80::${number}`];
const both = (number: number) => [...ipv4(number), ...ipv6(number)];

interface NetworkKind {
  readonly certVersion: 1 | 2;
  readonly cidrs: readonly string[];
  /** The first is the lighthouse's, so that all hosts can use it. */
  readonly addressSets: readonly [typeof both, ...(typeof both)[]];
}

const [IPV4_CIDR, IPV6_CIDR] = ["10.128.0.0/24", "fd80::/64"];
export const networkKinds = {
  IPv4: { certVersion: 1, cidrs: [IPV4_CIDR], addressSets: [ipv4] },
  IPv6: { certVersion: 2, cidrs: [IPV6_CIDR], addressSets: [ipv6] },
  "dual stack": { certVersion: 2, cidrs: [IPV4_CIDR, IPV6_CIDR], addressSets: [both, both, ipv6, ipv4] },
} as const satisfies Record<string, NetworkKind>;
export type NetworkKindName = keyof typeof networkKinds;

export const PORTS = [8001, 8002, 8003];
/** The subnets behind the router, and the addresses of its machine. */
export const LAN = "192.168.55.0/24";
export const IPV6_LAN = "fd55::/64";
export const LAN_ADDRESSES = ["192.168.55.2", "192.168.55.200"];
export const IPV6_LAN_ADDRESSES = ["fd55::2", "fd55::8000:0:0:200"];

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

const LIMITS = ["0.0.0.0/0", LAN, "192.168.55.0/25", "192.168.55.200/32"];
const IPV6_LIMITS = ["0.0.0.0/0", "::/0", IPV6_LAN, "fd55::/65", "fd55::8000:0:0:200/128"];

const routeRules = (limits: readonly string[]) =>
  fc
    .array(fc.tuple(rule, fc.constantFrom(...limits)), { maxLength: 4 })
    .map((some) => some.map(([each, localCIDR]) => ({ ...each, localCIDR })));

/** Most hosts are connected; some are blocked, or have a certificate of a CA that no other host trusts. */
const host = (
  number: number,
  nebulaVersion: string,
  { addressSets: [first, ...others] }: NetworkKind,
): fc.Arbitrary<AccessHost> =>
  fc
    .record({
      addresses: fc.constantFrom(first, ...(number === 1 ? [] : others)).map((list) => list(number)),
      roleID: fc.constantFrom(null, ...ROLES),
      tags: fc.subarray([...TAGS, "tag:lan"]),
      isBlocked: fc.constantFrom(...Array.from({ length: 9 }, () => false), number > ROUTER),
      caID: fc.constantFrom(...Array.from({ length: 9 }, () => "ca-1"), number > ROUTER ? "ca-2" : "ca-1"),
    })
    .map(({ caID, ...more }) => ({
      id: `host-${number}`,
      name: `host-${number}`,
      nebulaVersion,
      certificate: { caID, expiresAt: new Date("2100-01-01") },
      ...more,
    }));

const networkOf = (version: string, kind: NetworkKind): fc.Arbitrary<RandomNetwork> => {
  const { certVersion, cidrs } = kind;
  const subnets = [...(cidrs.includes(IPV4_CIDR) ? [LAN] : []), ...(certVersion === 2 ? [IPV6_LAN] : [])];
  const limits = [...(cidrs.includes(IPV4_CIDR) ? LIMITS : []), ...(certVersion === 2 ? IPV6_LIMITS : [])];
  return fc
    .record({
      roles: fc.tuple(...ROLES.map(() => rules(2, 5))),
      tags: fc.tuple(...TAGS.map(() => rules(1, 2))),
      hosts: fc.tuple(...Array.from({ length: HOSTS }, (_, index) => host(index + 1, version, kind))),
      route: fc.record({
        id: fc.constant(ROUTE_ID),
        routerHostID: fc.constant(`host-${ROUTER}`),
        routableCIDRs: fc.constant(Object.fromEntries(subnets.map((cidr) => [cidr, { install: true }]))),
        firewallRules: routeRules(limits),
        acceptWiderRules: fc.boolean(),
      }),
    })
    .map(({ roles, tags, hosts, route }) => ({
      certVersion,
      cidrs,
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
};

export function randomNetwork(version: string, kind: NetworkKindName, seed: number): RandomNetwork {
  const [network] = fc.sample(networkOf(version, networkKinds[kind]), { seed, numRuns: 1 });
  return network!;
}
