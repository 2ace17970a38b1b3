import {
  createHostV2,
  createNetwork,
  createRoute,
  createTag,
  deleteHost,
  deleteRoute,
  getRoute,
  getTag,
  listAuditLogs,
  listRoutes,
  NotFoundError,
  updateRoute,
  updateTag,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outcomeOf, errorsOf, errorCodesOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";

let server: TestServer;
let owner: Session;
let networkID: string;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
  const body = { name: "Overlay", cidr: "10.50.0.0/16" };
  networkID = (await owner.call(createNetwork, { body })).id;
});
afterAll(() => server.close());

const ssh = { protocol: "TCP", portRange: { from: 22, to: 22 } } as const;
let made = 0;
const make = (body: object = {}) => owner.call(createRoute, { body: { name: `Route ${++made}`, ...body } });
const makeHost = () => owner.call(createHostV2, { body: { name: `Host ${++made}`, networkID } });
/** "done", or the code it was refused with. */
const install = { install: true };
const lan = { "192.168.1.0/24": install };

describe("a route", () => {
  it("is made whole, and read back as made", async () => {
    const host = await makeHost();
    const route = await make({
      name: " Office ",
      description: "Printers",
      routerHostID: host.id,
      routableCIDRs: { "192.168.1.0/24": install, "172.16.9.9/32": { install: false } },
      firewallRules: [{ ...ssh, localCIDR: "192.168.1.128/25" }, { protocol: "ICMP" }],
    });
    expect(route).toMatchObject({
      name: "Office",
      description: "Printers",
      routerHostID: host.id,
      routableCIDRs: { "192.168.1.0/24": install, "172.16.9.9/32": { install: false } },
    });
    const plain = { allowedRoleID: null, description: "" };
    expect(route.firewallRules).toEqual([
      { ...ssh, ...plain, localCIDR: "192.168.1.128/25" },
      { protocol: "ICMP", portRange: null, ...plain, localCIDR: "0.0.0.0/0" },
    ]);
    expect(await owner.call(getRoute, { params: { routeID: route.id } })).toEqual(route);
    const { data } = await owner.call(listAuditLogs, { query: { "filter.targetID": route.id } });
    expect(data).toMatchObject([
      {
        target: { type: "route" },
        event: {
          type: "CREATED",
          before: null,
          after: { routerHostID: host.id, firewallRules: route.firewallRules },
        },
      },
    ]);
  });

  it("needs a name and nothing else", async () => {
    const route = await make({ name: "Bare" });
    expect(route).toMatchObject({
      description: "",
      routableCIDRs: {},
      firewallRules: [],
    });
    expect(route).not.toHaveProperty("routerHostID");
  });

  it("is replaced by what is sent, and may be sent back", async () => {
    const host = await makeHost();
    const route = await make({
      description: "Old",
      routerHostID: host.id,
      routableCIDRs: lan,
      firewallRules: [ssh],
    });
    const params = { routeID: route.id };
    const bare = { description: "", routableCIDRs: {}, firewallRules: [] };
    expect(await owner.call(updateRoute, { params, body: { name: route.name } })).toMatchObject({
      ...bare,
      id: route.id,
      createdAt: route.createdAt,
    });
    const { modifiedAt: _, ...back } = await owner.call(updateRoute, { params, body: route });
    expect(route).toMatchObject(back);
    const [log] = (await owner.call(listAuditLogs, { query: { "filter.targetID": route.id } })).data;
    expect(log?.event).toMatchObject({
      type: "UPDATED",
      before: { ...bare, routerHostID: null },
      after: { routableCIDRs: lan },
    });
    expect(await errorCodesOf(owner.call(updateRoute, { params, body: {} as never }))).toEqual([
      "ERR_INVALID_VALUE_LENGTH",
    ]);
  });

  it("names every fault of its shape with its path", async () => {
    const body = {
      name: "x".repeat(51),
      routerHostID: 4,
      routableCIDRs: { "10.0.0.0/8": {}, "10.1.0.0/16": { install: "yes" } },
      firewallRules: [{ protocol: "TCP", localCIDR: 1 }],
    };
    const refused = await errorsOf(owner.call(createRoute, { body: body as never }));
    expect(refused.map(({ code, path }) => [path, code]).sort()).toEqual([
      ["firewallRules[0].localCIDR", "ERR_INVALID_VALUE"],
      ["name", "ERR_INVALID_VALUE_LENGTH"],
      ["routableCIDRs.10.1.0.0/16.install", "ERR_INVALID_VALUE"],
      ["routerHostID", "ERR_INVALID_VALUE"],
    ]);
  });

  it("leads to IPv4 networks, and its rules speak of those", async () => {
    const routableCIDRs = Object.fromEntries(
      ["10.0.0.0/8", "10.0.0.1/8", "fd00::/8", "192.168.1.0", "192.168.01.0/24", "1.2.3.4/33", ""].map(
        (cidr) => [cidr, install],
      ),
    );
    const firewallRules = [
      "0.0.0.0/0",
      "10.0.0.0/8",
      "10.9.0.0/16",
      "0.0.0.0/1",
      "11.0.0.0/8",
      "10.9.0.1/16",
      "x",
      "",
    ].map((localCIDR) => ({ ...ssh, localCIDR }));
    const route = await make();
    const attempts = [
      (body: object) => make(body),
      (body: object) =>
        owner.call(updateRoute, { params: { routeID: route.id }, body: { name: "x", ...body } }),
    ];
    for (const attempt of attempts) {
      const refused = await errorsOf(attempt({ routableCIDRs, firewallRules }));
      expect(refused.map(({ code, path }) => [code, path])).toEqual([
        ["ERR_INVALID_IPV4_CIDR", "routableCIDRs.10.0.0.1/8"],
        ["ERR_INVALID_IPV4_CIDR", "routableCIDRs.fd00::/8"],
        ["ERR_INVALID_IPV4_CIDR", "routableCIDRs.192.168.1.0"],
        ["ERR_INVALID_IPV4_CIDR", "routableCIDRs.192.168.01.0/24"],
        ["ERR_INVALID_IPV4_CIDR", "routableCIDRs.1.2.3.4/33"],
        ["ERR_INVALID_IPV4_CIDR", "routableCIDRs."],
        ["ERR_INVALID_VALUE", "firewallRules[3].localCIDR"],
        ["ERR_INVALID_VALUE", "firewallRules[4].localCIDR"],
        ["ERR_INVALID_VALUE", "firewallRules[5].localCIDR"],
        ["ERR_INVALID_VALUE", "firewallRules[6].localCIDR"],
        ["ERR_INVALID_VALUE", "firewallRules[7].localCIDR"],
      ]);
    }
  });

  it("never leads through a host to that host's own network", async () => {
    const { id: routerHostID } = await makeHost();
    const routableCIDRs = { "10.50.4.0/24": install, "10.50.0.0/16": install, "10.51.0.0/16": install };
    expect(await errorsOf(make({ routerHostID, routableCIDRs }))).toMatchObject([
      { code: "ERR_INVALID_VALUE", path: "routableCIDRs.10.50.4.0/24" },
      { code: "ERR_INVALID_VALUE", path: "routableCIDRs.10.50.0.0/16" },
    ]);
    const route = await make({ routableCIDRs });
    const params = { routeID: route.id };
    expect(await errorCodesOf(owner.call(updateRoute, { params, body: { ...route, routerHostID } }))).toEqual(
      ["ERR_INVALID_VALUE", "ERR_INVALID_VALUE"],
    );
    // Around the network, and to everywhere: the way inside it stays the shorter one.
    const around = { "10.0.0.0/8": install, "0.0.0.0/0": install, "10.51.0.0/16": install };
    const body = { name: route.name, routerHostID, routableCIDRs: around };
    expect(await owner.call(updateRoute, { params, body })).toMatchObject(body);
  });

  it("leads through hosts of its own organization only, which then stay", async () => {
    const stranger = await server.signUp();
    const theirNetwork = await stranger.call(createNetwork, { body: { name: "Theirs" } });
    const theirs = await stranger.call(createHostV2, {
      body: { name: "Theirs", networkID: theirNetwork.id },
    });
    for (const routerHostID of [theirs.id, "host-none", ""])
      expect(await errorsOf(make({ routerHostID }))).toMatchObject([
        { code: "ERR_INVALID_REFERENCE", path: "routerHostID" },
      ]);
    const host = await makeHost();
    const route = await make({ routerHostID: host.id });
    const attempt = () => owner.call(deleteHost, { params: { hostID: host.id } });
    expect(await errorCodesOf(attempt())).toEqual(["ERR_HAS_DEPENDENTS"]);
    await owner.call(deleteRoute, { params: { routeID: route.id } });
    expect(await attempt()).toEqual({});
  });

  it("never leads through a host that is just being deleted", async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await makeHost();
      const outcomes = await Promise.all([
        outcomeOf(make({ routerHostID: id })),
        outcomeOf(owner.call(deleteHost, { params: { hostID: id } })),
      ]);
      expect([
        ["done", "ERR_HAS_DEPENDENTS"],
        ["ERR_INVALID_REFERENCE", "done"],
      ]).toContainEqual(outcomes);
    }
  });

  it("has a name of its own, also of twenty at once", async () => {
    const attempts = Array.from({ length: 20 }, () => outcomeOf(make({ name: "The same" })));
    const refused = Array.from({ length: 19 }, () => "ERR_DUPLICATE_VALUE");
    expect((await Promise.all(attempts)).sort()).toEqual([...refused, "done"]);
    const duplicate = [{ code: "ERR_DUPLICATE_VALUE", path: "name" }];
    expect(await errorsOf(make({ name: "tHE SAME" }))).toMatchObject(duplicate);
    const { id: routeID } = await make();
    const renaming = owner.call(updateRoute, { params: { routeID }, body: { name: "the same" } });
    expect(await errorsOf(renaming)).toMatchObject(duplicate);
  });

  it("ends the subscriptions to it when it is deleted", async () => {
    const [gone, kept] = [await make(), await make()];
    const routeSubscriptions = [gone.id, kept.id];
    await owner.call(createTag, { body: { name: "office:yes", routeSubscriptions } });
    const params = { routeID: gone.id };
    expect(await owner.call(deleteRoute, { params })).toEqual({});
    expect(await owner.call(getTag, { params: { tag: "office:yes" } })).toMatchObject({
      routeSubscriptions: [kept.id],
    });
    const logs = (await owner.call(listAuditLogs, { query: { "filter.targetID": gone.id } })).data;
    expect(logs[0]?.event).toMatchObject({ type: "DELETED", before: { name: gone.name }, after: null });
    expect(await errorCodesOf(owner.call(deleteRoute, { params }))).toEqual(["ERR_NOT_FOUND"]);
  });

  it("is never deleted under a tag that is just subscribing to it or leaving it", async () => {
    const params = { tag: "racing:yes" };
    await owner.call(createTag, { body: { name: params.tag } });
    for (let round = 0; round < 5; round++) {
      const [other, route] = [await make(), await make()];
      await owner.call(updateTag, { params, body: { routeSubscriptions: [other.id, route.id] } });
      const [subscribing, ...deleting] = await Promise.all([
        outcomeOf(owner.call(updateTag, { params, body: { routeSubscriptions: [route.id] } })),
        outcomeOf(owner.call(deleteRoute, { params: { routeID: other.id } })),
        outcomeOf(owner.call(deleteRoute, { params: { routeID: route.id } })),
      ]);
      expect(["done", "ERR_INVALID_REFERENCE"]).toContain(subscribing);
      expect(deleting).toEqual(["done", "done"]);
      expect((await owner.call(getTag, { params })).routeSubscriptions).toEqual([]);
    }
  });

  it("is not there for another organization", async () => {
    const route = await make();
    const stranger = await server.signUp();
    const params = { routeID: route.id };
    await expect(stranger.call(getRoute, { params })).rejects.toBeInstanceOf(NotFoundError);
    await expect(stranger.call(updateRoute, { params, body: { name: "x" } })).rejects.toBeInstanceOf(
      NotFoundError,
    );
    await expect(stranger.call(deleteRoute, { params })).rejects.toBeInstanceOf(NotFoundError);
    expect((await stranger.call(listRoutes)).data).toEqual([]);
    expect(await owner.call(getRoute, { params })).toEqual(route);
  });
});

describe("the list", () => {
  it("goes from the oldest to the newest, by pages, without the rules [S3.4]", async () => {
    const person = await server.signUp();
    for (const name of ["B", "A", "C"])
      await person.call(createRoute, { body: { name, routableCIDRs: lan, firewallRules: [ssh, ssh] } });
    const query = { pageSize: 2, includeCounts: true };
    const first = await person.call(listRoutes, { query });
    expect(first.metadata).toMatchObject({ totalCount: 3, hasNextPage: true });
    const second = await person.call(listRoutes, { query: { ...query, cursor: first.metadata.nextCursor } });
    const all = [...first.data, ...second.data];
    expect(all.map(({ name }) => name)).toEqual(["B", "A", "C"]);
    for (const item of all) {
      expect(item).toMatchObject({ firewallRulesCount: 2, routableCIDRs: lan });
      expect(item).not.toHaveProperty("firewallRules");
    }
  });

  it("finds parts of names and descriptions in any case, and takes wildcards for what they are", async () => {
    await make({ name: "Edge 100%", description: "Front_door" });
    const find = async (text: string) => {
      const { data, metadata } = await owner.call(listRoutes, {
        query: { "filter.search": text, includeCounts: true },
      });
      expect(metadata.totalCount).toBe(data.length);
      return data.map(({ name }) => name);
    };
    for (const text of ["eDGE", "0%", "t_D", "%"]) expect(await find(text)).toEqual(["Edge 100%"]);
    expect(await find("nothing like it")).toEqual([]);
  });
});
