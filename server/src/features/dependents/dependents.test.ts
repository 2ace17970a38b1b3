import {
  createNetwork,
  createRole,
  createRoute,
  createTag,
  deleteHost,
  deleteNetwork,
  deleteRole,
  deleteTag,
  type Dependent,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import { errorsOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";

let server: TestServer;
let owner: Session;
let fleet: Fleet;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
  fleet = await createFleet(server, owner);
  const stranger = await server.signUp();
  const foreign = await createFleet(server, stranger);
  await foreign.add({ name: "foreign", tags: ["env:prod"] });
  await stranger.call(createRole, {
    body: { name: "Foreign", firewallRules: [{ protocol: "TCP", allowedTags: ["env:prod"] }] },
  });
});
afterAll(() => server.close());

async function dependentsOf(deletion: Promise<unknown>): Promise<{ dependents: Dependent[]; total: number }> {
  const [entry] = await errorsOf(deletion);
  expect(entry?.code).toBe("ERR_HAS_DEPENDENTS");
  const { dependents = [], total = 0 } = entry?.extra ?? {};
  return { dependents, total };
}

const lighthouse = { isLighthouse: true, listenPort: 4242, staticAddresses: ["192.0.2.1:4242"] };
const relay = { isRelay: true, listenPort: 4242 };

describe("the error of a rejected deletion lists the dependents", () => {
  it("of a role: the roles, tags and routes whose rules refer to it, and its hosts by type", async () => {
    const { id: roleID } = await owner.call(createRole, { body: { name: "Wanted" } });
    const firewallRules = [{ protocol: "TCP" as const, allowedRoleID: roleID }];
    const role = await owner.call(createRole, { body: { name: "Naming role", firewallRules } });
    const tag = await owner.call(createTag, { body: { name: "naming:tag", firewallRules } });
    const route = await owner.call(createRoute, { body: { name: "Naming route", firewallRules } });
    const { networkID } = fleet;
    const hosts = [
      { type: "host", ...(await fleet.add({ name: "a host", roleID })) },
      { type: "lighthouse", ...(await fleet.add({ name: "B lighthouse", roleID, ...lighthouse })) },
      { type: "relay", ...(await fleet.add({ name: "c relay", roleID, ...relay })) },
    ];
    expect(await dependentsOf(owner.call(deleteRole, { params: { roleID } }))).toEqual({
      dependents: [
        { type: "role", id: role.id, name: "Naming role" },
        { type: "tag", id: tag.name, name: "naming:tag" },
        { type: "route", id: route.id, name: "Naming route" },
        ...hosts.map(({ type, id, name }) => ({ type, id, name, networkID })),
      ],
      total: 6,
    });
  });

  it("of a tag: the roles whose rules refer to it, and its hosts, but none of another organization", async () => {
    const firewallRules = [{ protocol: "TCP" as const, allowedTags: ["a:b", "env:prod"] }];
    const { id, name } = await owner.call(createRole, { body: { name: "Naming tags", firewallRules } });
    const host = await fleet.add({ name: "tagged", tags: ["env:prod"] });
    expect(await dependentsOf(owner.call(deleteTag, { params: { tag: "env:prod" } }))).toEqual({
      dependents: [
        { type: "role", id, name },
        { type: "host", id: host.id, name: "tagged", networkID: fleet.networkID },
      ],
      total: 2,
    });
  });

  it("of a host: the routes that use it as their router", async () => {
    const { id: routerHostID } = await fleet.add();
    const route = await owner.call(createRoute, { body: { name: "Through it", routerHostID } });
    expect(await dependentsOf(owner.call(deleteHost, { params: { hostID: routerHostID } }))).toEqual({
      dependents: [{ type: "route", id: route.id, name: "Through it" }],
      total: 1,
    });
  });

  it("of a network: its first twenty hosts by name, and the total number", async () => {
    const largeFleet = await createFleet(server, owner);
    await largeFleet.addMany(25);
    const params = { networkID: largeFleet.networkID };
    const { dependents, total } = await dependentsOf(owner.call(deleteNetwork, { params }));
    expect(total).toBe(25);
    const names = Array.from({ length: 25 }, (_, index) => `many ${index + 1}`);
    expect(dependents.map(({ name }) => name)).toEqual(names.sort().slice(0, 20));
    expect(
      dependents.every(({ type, networkID }) => type === "host" && networkID === largeFleet.networkID),
    ).toBe(true);
  });
});

it("a network without dependents can be deleted", async () => {
  const { id: networkID } = await owner.call(createNetwork, { body: { name: "Unneeded" } });
  expect(await owner.call(deleteNetwork, { params: { networkID } })).toEqual({});
});
