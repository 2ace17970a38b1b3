/** Tags and roles in use, for tests of deletions with `detach`. */
import { createRole, createRoute, createTag, listAuditLogs, PAGE_SIZE_MAX } from "@lightkeeper/contract";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { createFleet, type Fleet } from "./fleet.ts";
import { type Session, startTestServer, type TestServer } from "./server.ts";

export let server: TestServer;
export let owner: Session;
export let fleet: Fleet;

/** Registers the hooks that start a server, and create an organization with a network before each test. */
export function useDetachServer(): void {
  beforeAll(async () => {
    server = await startTestServer({ agentPollMs: 50 });
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    owner = await server.signUp();
    fleet = await createFleet(server, owner);
  });
}

export const rule = (port: number, more: object = {}) => ({
  protocol: "TCP" as const,
  portRange: { from: port, to: port },
  description: "",
  allowedRoleID: null,
  ...more,
});
export const detach = { detach: true };
export const logOf = async (id: string, session = owner) =>
  (await session.call(listAuditLogs, { query: { "filter.targetID": id, pageSize: PAGE_SIZE_MAX } })).data;

/** Creates a tag that a host has and that rules of a role, a tag and a route name, alone and with others. */
export async function createUsedTag() {
  const { id: opsID } = await owner.call(createRole, { body: { name: "Ops" } });
  const tag = "env:prod";
  const firewallRules = [
    rule(1, { allowedTags: [tag] }),
    rule(2, { allowedTags: [tag, "team:web"] }),
    rule(3, { allowedRoleID: opsID, allowedTags: [tag] }),
    rule(4),
  ];
  const kept = [
    rule(2, { allowedTags: ["team:web"] }),
    rule(3, { allowedRoleID: opsID, allowedTags: [] }),
    rule(4),
  ];
  await owner.call(createTag, { body: { name: tag, firewallRules: [rule(9, { allowedTags: [tag] })] } });
  const host = await fleet.add({ tags: ["team:web", tag], roleID: opsID });
  const role = await owner.call(createRole, { body: { name: "Web", firewallRules } });
  const other = await owner.call(createTag, { body: { name: "site:lab", firewallRules } });
  const route = await owner.call(createRoute, {
    body: { name: "Office", routerHostID: host.id, firewallRules },
  });
  return { tag, host, role, other, route, firewallRules, kept };
}

/** Creates a role that a host has and that rules of a role, a tag and a route name, alone and with others. */
export async function createUsedRole() {
  const { id: roleID } = await owner.call(createRole, { body: { name: "Admin" } });
  const firewallRules = [
    rule(1, { allowedRoleID: roleID }),
    rule(2, { allowedRoleID: roleID, allowedTags: ["team:web"] }),
    rule(3, { allowedRoleID: roleID, allowedTags: [] }),
  ];
  const kept = [rule(2, { allowedTags: ["team:web"] })];
  const host = await fleet.add({ roleID });
  const role = await owner.call(createRole, { body: { name: "Web", firewallRules } });
  const tag = await owner.call(createTag, { body: { name: "site:lab", firewallRules } });
  const route = await owner.call(createRoute, { body: { name: "Office", firewallRules } });
  return { roleID, host, role, tag, route, kept };
}

/** The rules as routes have them. */
export const rulesOf = (rules: readonly object[]) => rules.map((one) => ({ ...one, localCIDR: "0.0.0.0/0" }));
