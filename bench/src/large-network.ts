/** A network of a given size for the access engine. It is the same in every run. */
import type { AccessHost, AccessNetwork } from "@lightkeeper/nebula/access";

export const ROLES = 200;
const TAGS = 500;
const TAGS_WITH_RULES = 50;
const RULES_PER_ROLE = 5;
const TAGS_PER_HOST = 3;
const PORTS = [22, 80, 443, 5432, 8080, 9100];

type Rules = AccessNetwork["roles"] extends ReadonlyMap<string, infer Value> ? Value : never;
type Rule = Rules[number];

/** Returns numbers below a limit, which look random. */
export function createNumbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** Most rules allow a role, some a tag, and few any host. */
export function createRule(next: (limit: number) => number): Rule {
  const port = PORTS[next(PORTS.length)]!;
  const kind = next(10);
  return {
    protocol: (["TCP", "TCP", "UDP", "ANY"] as const)[next(4)]!,
    portRange: { from: port, to: port },
    allowedRoleID: kind < 6 ? `role-${next(ROLES)}` : null,
    allowedTags: kind >= 5 && kind < 9 ? [`tag-${next(TAGS)}`] : [],
  };
}

export function createLargeNetwork(size: number): AccessNetwork {
  const next = createNumbers(1);
  const hosts = Array.from({ length: size }, (_, number): AccessHost => ({
    id: `host-${number}`,
    name: `host-${number}`,
    addresses: [`10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`],
    roleID: `role-${next(ROLES)}`,
    tags: Array.from({ length: TAGS_PER_HOST }, () => `tag-${next(TAGS)}`),
    isBlocked: false,
    nebulaVersion: "1.10.0",
    certificate: { caID: "ca-1", expiresAt: new Date("2027-01-01") },
  }));
  const tagOf = (number: number) => ({
    firewallRules: number < TAGS_WITH_RULES ? [createRule(next)] : [],
    routeIDs: number === TAGS - 1 ? ["route-1"] : [],
  });
  return {
    cidrs: ["10.0.0.0/8"],
    now: new Date("2026-01-01"),
    trustedCaIDs: new Set(["ca-1"]),
    roles: new Map(
      Array.from({ length: ROLES }, (_, number) => [
        `role-${number}`,
        Array.from({ length: RULES_PER_ROLE }, () => createRule(next)),
      ]),
    ),
    tags: new Map(Array.from({ length: TAGS }, (_, number) => [`tag-${number}`, tagOf(number)])),
    routes: [
      {
        id: "route-1",
        routerHostID: "host-0",
        routableCIDRs: { "192.168.5.0/24": { install: true } },
        firewallRules: [{ ...createRule(next), localCIDR: "0.0.0.0/0" }],
        acceptWiderRules: false,
      },
    ],
    hosts,
  };
}
