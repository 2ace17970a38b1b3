/** Networks for the tests of access answers, without and with a database. */
import { createRole, createRoute, updateTag } from "@lightkeeper/contract";
import type { AccessNetwork } from "@lightkeeper/nebula/access";
import { networkOf } from "@lightkeeper/nebula/testing";
import type { LoadedNetwork } from "../features/access/answers/loaded-network.ts";
import { markEnrolled } from "./enrolled-hosts.ts";
import { createFleet } from "./fleet.ts";
import type { Session, TestServer } from "./server.ts";

export const loadedNetwork = (network: AccessNetwork = networkOf()): LoadedNetwork => ({
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
  await markEnrolled(server, ...Object.values(hosts));
  return { networkID: fleet.networkID, roles, routeID, hosts };
}
