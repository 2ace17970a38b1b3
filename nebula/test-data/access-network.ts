/** A network for the tests of the access engine. */
import type { AccessHost, AccessNetwork } from "../src/access/network.ts";

export const NOW = new Date("2026-01-01T00:00:00Z");
const certificate = { caID: "ca-1", expiresAt: new Date("2026-02-01T00:00:00Z") };

export const hostOf = (
  name: string,
  address: string | string[],
  more: Partial<AccessHost> = {},
): AccessHost => ({
  id: `host-${name}`,
  name,
  addresses: [address].flat(),
  roleID: null,
  tags: [],
  isBlocked: false,
  certificate,
  ...more,
});

export const tcp = (port: number, allowedRoleID: string | null = null, allowedTags: string[] = []) =>
  ({ protocol: "TCP", portRange: { from: port, to: port }, allowedRoleID, allowedTags }) as const;

/** Three web servers, two databases, a laptop that uses the route to the office, and the office's router. */
export const networkOf = (more: Partial<AccessNetwork> = {}): AccessNetwork => ({
  cidrs: ["10.0.0.0/24"],
  now: NOW,
  trustedCaIDs: new Set(["ca-1"]),
  roles: new Map([
    ["role-web", [tcp(443)]],
    ["role-database", [tcp(5432, "role-web"), tcp(22, null, ["team:data"])]],
    ["role-router", [{ protocol: "ICMP", allowedTags: [] }]],
  ]),
  tags: new Map([
    ["team:data", { firewallRules: [], routeIDs: ["route-office"] }],
    ["env:test", { firewallRules: [tcp(9100)], routeIDs: [] }],
    ["color:red", { firewallRules: [], routeIDs: [] }],
  ]),
  routes: [
    {
      id: "route-office",
      routerHostID: "host-router",
      routableCIDRs: { "192.168.5.0/24": { install: true } },
      firewallRules: [{ ...tcp(80, null, ["team:data"]), localCIDR: "0.0.0.0/0" }],
      acceptWiderRules: false,
    },
  ],
  hosts: [
    hostOf("web-1", "10.0.0.11", { roleID: "role-web", tags: ["color:red"] }),
    hostOf("web-2", "10.0.0.12", { roleID: "role-web" }),
    hostOf("web-3", "10.0.0.13", { roleID: "role-web", tags: ["env:test"] }),
    hostOf("database-1", "10.0.0.21", { roleID: "role-database" }),
    hostOf("database-2", "10.0.0.22", { roleID: "role-database", tags: ["env:test"] }),
    hostOf("laptop", "10.0.0.31", { tags: ["team:data"] }),
    hostOf("router", "10.0.0.41", { roleID: "role-router" }),
  ],
  ...more,
});
