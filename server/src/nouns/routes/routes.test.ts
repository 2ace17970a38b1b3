import {
  createHostV2,
  createNetwork,
  createRoute,
  deleteRoute,
  getRoute,
  listAuditLogs,
  listRoutes,
  NotFoundError,
  updateRoute,
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
let objectCount = 0;
const createTestRoute = (body: object = {}) =>
  owner.call(createRoute, { body: { name: `Route ${++objectCount}`, ...body } });
const createHost = () => owner.call(createHostV2, { body: { name: `Host ${++objectCount}`, networkID } });
const install = { install: true };
const lan = { "192.168.1.0/24": install };

describe("a route", () => {
  it("is created with all fields, and returned as created", async () => {
    const host = await createHost();
    const route = await createTestRoute({
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

  it("requires only a name", async () => {
    const route = await createTestRoute({ name: "Bare" });
    expect(route).toMatchObject({
      description: "",
      routableCIDRs: {},
      firewallRules: [],
    });
    expect(route).not.toHaveProperty("routerHostID");
  });

  it("is replaced completely by an update, and accepts its own output", async () => {
    const host = await createHost();
    const route = await createTestRoute({
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

  it("reports every invalid field with its path", async () => {
    const body = {
      name: "x".repeat(51),
      routerHostID: 4,
      routableCIDRs: { "10.0.0.0/8": {}, "10.1.0.0/16": { install: "yes" } },
      firewallRules: [{ protocol: "TCP", localCIDR: 1 }],
    };
    const rejected = await errorsOf(owner.call(createRoute, { body: body as never }));
    expect(rejected.map(({ code, path }) => [path, code]).sort()).toEqual([
      ["firewallRules[0].localCIDR", "ERR_INVALID_VALUE"],
      ["name", "ERR_INVALID_VALUE_LENGTH"],
      ["routableCIDRs.10.1.0.0/16.install", "ERR_INVALID_VALUE"],
      ["routerHostID", "ERR_INVALID_VALUE"],
    ]);
  });

  it("accepts only valid subnets, and only rules for addresses in these subnets", async () => {
    const routableCIDRs = Object.fromEntries(
      ["10.0.0.0/8", "10.0.0.1/8", "fd00::1/8", "192.168.1.0", "192.168.01.0/24", "1.2.3.4/33", ""].map(
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
    const route = await createTestRoute();
    const attempts = [
      (body: object) => createTestRoute(body),
      (body: object) =>
        owner.call(updateRoute, { params: { routeID: route.id }, body: { name: "x", ...body } }),
    ];
    for (const attempt of attempts) {
      const rejected = await errorsOf(attempt({ routableCIDRs, firewallRules }));
      expect(rejected.map(({ code, path }) => [code, path])).toEqual([
        ["ERR_INVALID_IPV4_CIDR", "routableCIDRs.10.0.0.1/8"],
        ["ERR_INVALID_IPV4_CIDR", "routableCIDRs.fd00::1/8"],
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

  it("has a unique name, also with twenty concurrent requests", async () => {
    const attempts = Array.from({ length: 20 }, () => outcomeOf(createTestRoute({ name: "The same" })));
    const rejected = Array.from({ length: 19 }, () => "ERR_DUPLICATE_VALUE");
    expect((await Promise.all(attempts)).sort()).toEqual([...rejected, "done"]);
    const duplicate = [{ code: "ERR_DUPLICATE_VALUE", path: "name" }];
    expect(await errorsOf(createTestRoute({ name: "tHE SAME" }))).toMatchObject(duplicate);
    const { id: routeID } = await createTestRoute();
    const renaming = owner.call(updateRoute, { params: { routeID }, body: { name: "the same" } });
    expect(await errorsOf(renaming)).toMatchObject(duplicate);
  });

  it("is not found by another organization", async () => {
    const route = await createTestRoute();
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

describe("the list of routes", () => {
  it("is paginated, oldest first, without the rules [S3.4]", async () => {
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

  it("can be searched by parts of names and descriptions, ignoring case, with wildcards as plain text", async () => {
    await createTestRoute({ name: "Edge 100%", description: "Front_door" });
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
