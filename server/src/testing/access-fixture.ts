/** Networks for the tests of access answers, without and with a database. */
import { createRole, createRoute, updateTag } from "@lightkeeper/contract";
import type { FirewallRule } from "@lightkeeper/nebula";
import type { AccessHost, AccessNetwork } from "@lightkeeper/nebula/access";
import type { LoadedNetwork } from "../features/access/answers/loaded-network.ts";
import { createFleet } from "./fleet.ts";
import type { Session, TestServer } from "./server.ts";

const NOW = new Date("2026-01-01T00:00:00Z");
const certificate = { caID: "ca-1", expiresAt: new Date("2026-02-01T00:00:00Z") };

export const accessHost = (name: string, address: string, more: Partial<AccessHost> = {}): AccessHost => ({
  id: `host-${name}`,
  name,
  address,
  roleID: null,
  tags: [],
  isBlocked: false,
  certificate,
  ...more,
});

export const tcp = (
  port: number,
  allowedRoleID: string | null = null,
  allowedTags: string[] = [],
): FirewallRule => ({ protocol: "TCP", portRange: { from: port, to: port }, allowedRoleID, allowedTags });

/** Three web servers, two databases, a laptop that uses the route to the office, and the office's router. */
export const accessNetwork = (more: Partial<AccessNetwork> = {}): AccessNetwork => ({
  cidr: "10.0.0.0/24",
  now: NOW,
  trustedCaIDs: new Set(["ca-1"]),
  roles: new Map([
    ["role-web", [tcp(443)]],
    ["role-database", [tcp(5432, "role-web"), tcp(22, null, ["team:data"])]],
    ["role-router", [{ protocol: "ICMP" }]],
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
    accessHost("web-1", "10.0.0.11", { roleID: "role-web", tags: ["color:red"] }),
    accessHost("web-2", "10.0.0.12", { roleID: "role-web" }),
    accessHost("web-3", "10.0.0.13", { roleID: "role-web", tags: ["env:test"] }),
    accessHost("database-1", "10.0.0.21", { roleID: "role-database" }),
    accessHost("database-2", "10.0.0.22", { roleID: "role-database", tags: ["env:test"] }),
    accessHost("laptop", "10.0.0.31", { tags: ["team:data"] }),
    accessHost("router", "10.0.0.41", { roleID: "role-router" }),
  ],
  ...more,
});

export const loadedNetwork = (network: AccessNetwork = accessNetwork()): LoadedNetwork => ({
  id: "network-1",
  name: "Production",
  network,
  roleNames: new Map([
    ["role-web", "Web"],
    ["role-database", "Database"],
    ["role-router", "Router"],
  ]),
  routeNames: new Map([["route-office", "Office"]]),
  revision: 7,
});

export interface AccessFleet {
  networkID: string;
  roles: { web: string; database: string; router: string };
  routeID: string;
  /** The IDs of the hosts, by name. */
  hosts: Record<"web-1" | "web-2" | "database-1" | "laptop" | "router", string>;
}

const rule = (port: number, more: object = {}) => ({
  protocol: "TCP" as const,
  portRange: { from: port, to: port },
  ...more,
});

/** The same kinds of hosts in a database, all enrolled. */
export async function createAccessFleet(server: TestServer, owner: Session): Promise<AccessFleet> {
  const fleet = await createFleet(server, owner, "10.90.0.0/24");
  const createTestRole = async (name: string, firewallRules: object[]) =>
    (await owner.call(createRole, { body: { name, firewallRules: firewallRules as never } })).id;
  const web = await createTestRole("Web", [rule(443, { description: "Sites" })]);
  const database = await createTestRole("Database", [
    rule(5432, { allowedRoleID: web }),
    rule(22, { allowedTags: ["team:data"] }),
  ]);
  const roles = { web, database, router: await createTestRole("Router", []) };
  const add = async (name: string, more: { roleID?: string; tags?: string[] } = {}) =>
    (await fleet.add({ name, ...more })).id;
  const hosts = {
    "web-1": await add("web-1", { roleID: web }),
    "web-2": await add("web-2", { roleID: web, tags: ["env:test"] }),
    "database-1": await add("database-1", { roleID: database }),
    laptop: await add("laptop", { tags: ["team:data"] }),
    router: await add("router", { roleID: roles.router }),
  };
  const { id: routeID } = await owner.call(createRoute, {
    body: {
      name: "Office",
      routerHostID: hosts.router,
      routableCIDRs: { "192.168.5.0/24": { install: true } },
      firewallRules: [rule(80, { allowedTags: ["team:data"] })],
    },
  });
  const params = { tag: "team:data" };
  await owner.call(updateTag, { params, body: { routeSubscriptions: [routeID] } });
  await markEnrolled(server, fleet.networkID);
  return { networkID: fleet.networkID, roles, routeID, hosts };
}

/** Gives all hosts of the network a certificate of its CA, without enrolling them. */
export async function markEnrolled(server: TestServer, networkID: string): Promise<void> {
  await server.query(
    `update hosts set ca_id = networks.signing_ca_id, enrolled_at = now(),
        certificate_expires_at = '2099-01-01T00:00:00Z'
      from networks where networks.id = hosts.network_id and networks.id = $1`,
    [networkID],
  );
}
