/** A network with IPv4 and IPv6 addresses, for the tests of the access engine. */
import type { AccessNetwork } from "../src/access/network.ts";
import { hostOf, networkOf, tcp } from "./access-network.ts";

export const LAN = "fd05:0:5::/64";

/** One host of each kind, which accept HTTPS from all, and a router to an IPv6 subnet. */
export const mixedNetwork = (more: Partial<AccessNetwork> = {}): AccessNetwork =>
  networkOf({
    cidrs: ["10.0.0.0/24", "fd00::/64"],
    roles: new Map([["role-web", [tcp(443)]]]),
    tags: new Map([["lan", { firewallRules: [], routeIDs: ["route-lan"] }]]),
    routes: [
      {
        id: "route-lan",
        routerHostID: "host-router",
        routableCIDRs: { [LAN]: { install: true } },
        firewallRules: [tcp(443)],
        acceptWiderRules: false,
      },
    ],
    hosts: [
      hostOf("ipv4", "10.0.0.4", { roleID: "role-web", tags: ["lan"] }),
      hostOf("ipv6", "fd00::6", { roleID: "role-web", tags: ["lan"] }),
      hostOf("both", ["10.0.0.10", "fd00::10"], { roleID: "role-web", tags: ["lan"] }),
      hostOf("router", ["10.0.0.1", "fd00::1"]),
    ],
    ...more,
  });

export const hostNamed = (given: AccessNetwork, name: string) =>
  given.hosts.find((host) => host.name === name)!;
