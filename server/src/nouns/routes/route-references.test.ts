import {
  createHostV2,
  createNetwork,
  createRoute,
  createTag,
  deleteHost,
  deleteRoute,
  getTag,
  listAuditLogs,
  updateRoute,
  updateTag,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import { outcomeOf, errorsOf, errorCodesOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";

let server: TestServer;
let owner: Session;
let fleet: Fleet;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
  fleet = await createFleet(server, owner, "10.50.0.0/16");
});
afterAll(() => server.close());

let routeCount = 0;
const createTestRoute = (body: object = {}) =>
  owner.call(createRoute, { body: { name: `Route ${++routeCount}`, ...body } });
const install = { install: true };

describe("a route", () => {
  it("can't include subnets of the router's own network", async () => {
    const { id: routerHostID } = await fleet.add();
    const routableCIDRs = { "10.50.4.0/24": install, "10.50.0.0/16": install, "10.51.0.0/16": install };
    expect(await errorsOf(createTestRoute({ routerHostID, routableCIDRs }))).toMatchObject([
      { code: "ERR_INVALID_VALUE", path: "routableCIDRs.10.50.4.0/24" },
      { code: "ERR_INVALID_VALUE", path: "routableCIDRs.10.50.0.0/16" },
    ]);
    const route = await createTestRoute({ routableCIDRs });
    const params = { routeID: route.id };
    expect(await errorCodesOf(owner.call(updateRoute, { params, body: { ...route, routerHostID } }))).toEqual(
      ["ERR_INVALID_VALUE", "ERR_INVALID_VALUE"],
    );
    // Larger subnets are allowed: the network's own, more specific route takes precedence.
    const around = { "10.0.0.0/8": install, "0.0.0.0/0": install, "10.51.0.0/16": install };
    const body = { name: route.name, routerHostID, routableCIDRs: around };
    expect(await owner.call(updateRoute, { params, body })).toMatchObject(body);
  });

  it("accepts only a router of its own organization, which then can't be deleted", async () => {
    const stranger = await server.signUp();
    const theirNetwork = await stranger.call(createNetwork, { body: { name: "Theirs" } });
    const theirs = await stranger.call(createHostV2, {
      body: { name: "Theirs", networkID: theirNetwork.id },
    });
    for (const routerHostID of [theirs.id, "host-none", ""])
      expect(await errorsOf(createTestRoute({ routerHostID }))).toMatchObject([
        { code: "ERR_INVALID_REFERENCE", path: "routerHostID" },
      ]);
    const host = await fleet.add();
    const route = await createTestRoute({ routerHostID: host.id });
    const attempt = () => owner.call(deleteHost, { params: { hostID: host.id } });
    expect(await errorCodesOf(attempt())).toEqual(["ERR_HAS_DEPENDENTS"]);
    await owner.call(deleteRoute, { params: { routeID: route.id } });
    expect(await attempt()).toEqual({});
  });

  it("never uses a router that is deleted concurrently", async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await fleet.add();
      const outcomes = await Promise.all([
        outcomeOf(createTestRoute({ routerHostID: id })),
        outcomeOf(owner.call(deleteHost, { params: { hostID: id } })),
      ]);
      expect([
        ["done", "ERR_HAS_DEPENDENTS"],
        ["ERR_INVALID_REFERENCE", "done"],
      ]).toContainEqual(outcomes);
    }
  });

  it("is removed from the subscriptions of tags when it is deleted", async () => {
    const [deleted, remaining] = [await createTestRoute(), await createTestRoute()];
    const routeSubscriptions = [deleted.id, remaining.id];
    await owner.call(createTag, { body: { name: "office:yes", routeSubscriptions } });
    const params = { routeID: deleted.id };
    expect(await owner.call(deleteRoute, { params })).toEqual({});
    expect(await owner.call(getTag, { params: { tag: "office:yes" } })).toMatchObject({
      routeSubscriptions: [remaining.id],
    });
    const logs = (await owner.call(listAuditLogs, { query: { "filter.targetID": deleted.id } })).data;
    expect(logs[0]?.event).toMatchObject({ type: "DELETED", before: { name: deleted.name }, after: null });
    expect(await errorCodesOf(owner.call(deleteRoute, { params }))).toEqual(["ERR_NOT_FOUND"]);
  });

  it("leaves no subscriptions if it is deleted while a tag subscribes or unsubscribes concurrently", async () => {
    const params = { tag: "racing:yes" };
    await owner.call(createTag, { body: { name: params.tag } });
    for (let round = 0; round < 5; round++) {
      const [dropped, route] = [await createTestRoute(), await createTestRoute()];
      await owner.call(updateTag, { params, body: { routeSubscriptions: [dropped.id, route.id] } });
      const [subscribing, ...deleting] = await Promise.all([
        outcomeOf(owner.call(updateTag, { params, body: { routeSubscriptions: [route.id] } })),
        outcomeOf(owner.call(deleteRoute, { params: { routeID: dropped.id } })),
        outcomeOf(owner.call(deleteRoute, { params: { routeID: route.id } })),
      ]);
      expect(["done", "ERR_INVALID_REFERENCE"]).toContain(subscribing);
      expect(deleting).toEqual(["done", "done"]);
      expect((await owner.call(getTag, { params })).routeSubscriptions).toEqual([]);
    }
  });
});
