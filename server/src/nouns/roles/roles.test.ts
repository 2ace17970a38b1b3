import {
  createHostV2,
  createNetwork,
  createRole,
  deleteHost,
  deleteRole,
  getRole,
  listAuditLogs,
  listRoles,
  NotFoundError,
  updateRole,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outcomeOf, errorsOf, errorCodesOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";

let server: TestServer;
let owner: Session;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
});
afterAll(() => server.close());

const ssh = { protocol: "TCP", portRange: { from: 22, to: 22 } } as const;
let roleCount = 0;
const make = (body: object = {}) =>
  owner.call(createRole, { body: { name: `Role ${++roleCount}`, ...body } });

describe("a new account", () => {
  it("has one role, Lighthouse, that answers pings from any host", async () => {
    const person = await server.signUp();
    const { data } = await person.call(listRoles);
    expect(data).toMatchObject([
      { name: "Lighthouse", hostCount: 0, firewallRules: [{ protocol: "ICMP", portRange: null }] },
    ]);
  });
});

describe("a role", () => {
  it("is created with its rules, and returned as created", async () => {
    const ops = await make({ name: "Ops" });
    const database = await make({
      name: "Database",
      description: "PostgreSQL",
      firewallRules: [
        { ...ssh, allowedRoleID: ops.id, allowedTags: ["env:prod"], description: "From Ops" },
        { protocol: "ICMP" },
      ],
    });
    expect(database.firewallRules).toEqual([
      { ...ssh, allowedRoleID: ops.id, allowedTags: ["env:prod"], description: "From Ops" },
      { protocol: "ICMP", allowedRoleID: null, description: "", portRange: null },
    ]);
    expect(await owner.call(getRole, { params: { roleID: database.id } })).toEqual(database);
  });

  it("keeps its name if it is omitted, and other omitted fields are reset", async () => {
    const role = await make({ description: "Old", firewallRules: [ssh] });
    const params = { roleID: role.id };
    const replaced = await owner.call(updateRole, { params, body: {} });
    expect(replaced).toMatchObject({ name: role.name, description: "", firewallRules: [] });
    expect((await owner.call(updateRole, { params, body: { name: "Renamed" } })).name).toBe("Renamed");
    const back = await owner.call(updateRole, { params, body: { ...role, name: "Sent back" } });
    expect(back).toMatchObject({ name: "Sent back", description: "Old" });
    const [log] = (await owner.call(listAuditLogs, { query: { "filter.targetID": role.id } })).data;
    expect(log?.event).toMatchObject({
      type: "UPDATED",
      before: { firewallRules: [] },
      after: { name: "Sent back" },
    });
  });

  it("reports every problem in its rules with its path", async () => {
    const firewallRules = [
      { protocol: "SCTP" },
      { protocol: "TCP", portRange: { from: 0, to: 70_000 } },
      { protocol: "TCP", portRange: { from: 23, to: 22 } },
      { protocol: "UDP", allowedTags: ["no colon", "a:b:c"] },
    ];
    const rejected = await errorsOf(make({ firewallRules }));
    expect(rejected).toMatchObject([
      { path: "firewallRules[0].protocol", message: "must be a valid protocol: ANY, TCP, UDP, ICMP" },
      { path: "firewallRules[1].portRange.from", message: "must be between 1 and 65535" },
      { path: "firewallRules[1].portRange.to", message: "must be between 1 and 65535" },
      { path: "firewallRules[2].portRange", message: "from must be less than or equal to to" },
      { path: "firewallRules[3].allowedTags[0]" },
      { path: "firewallRules[3].allowedTags[1]" },
    ]);
    expect(await errorsOf(make({ name: "x".repeat(51) }))).toMatchObject([
      { code: "ERR_INVALID_VALUE_LENGTH", path: "name", message: "must have a length between 1 and 50" },
    ]);
  });

  it("has a unique name, also with twenty concurrent requests", async () => {
    const attempts = Array.from({ length: 20 }, () => outcomeOf(make({ name: "The same" })));
    const rejected = Array.from({ length: 19 }, () => "ERR_DUPLICATE_VALUE");
    expect((await Promise.all(attempts)).sort()).toEqual([...rejected, "done"]);
    expect(await errorsOf(make({ name: "tHE SAME" }))).toMatchObject([
      { code: "ERR_DUPLICATE_VALUE", path: "name" },
    ]);
  });

  it("counts its hosts, and can't be deleted while it has any", async () => {
    const network = await owner.call(createNetwork, { body: { name: "Inhabited" } });
    const role = await make();
    const params = { roleID: role.id };
    const hosts = [];
    for (const name of ["One", "Two"]) {
      const body = { name, networkID: network.id, roleID: role.id, tags: ["a:1", "b:2"] };
      hosts.push(await owner.call(createHostV2, { body }));
    }
    const counted = async () => {
      const { data } = await owner.call(listRoles, { query: { "filter.search": role.name } });
      return [(await owner.call(getRole, { params })).hostCount, ...data.map(({ hostCount }) => hostCount)];
    };
    expect(await counted()).toEqual([2, 2]);
    expect((await owner.call(updateRole, { params, body: {} })).hostCount).toBe(2);
    expect(await errorCodesOf(owner.call(deleteRole, { params }))).toEqual(["ERR_HAS_DEPENDENTS"]);
    for (const { id } of hosts) await owner.call(deleteHost, { params: { hostID: id } });
    expect(await counted()).toEqual([0, 0]);
    expect(await owner.call(deleteRole, { params })).toEqual({});
  });

  it("can't be deleted while a rule of another role refers to it", async () => {
    const referenced = await make();
    const referring = await make({ firewallRules: [{ ...ssh, allowedRoleID: referenced.id }] });
    const params = { roleID: referenced.id };
    expect(await errorCodesOf(owner.call(deleteRole, { params }))).toEqual(["ERR_HAS_DEPENDENTS"]);
    await owner.call(updateRole, { params: { roleID: referring.id }, body: {} });
    // A role whose own rules refer to it can be deleted.
    await owner.call(updateRole, {
      params,
      body: { firewallRules: [{ ...ssh, allowedRoleID: referenced.id }] },
    });
    expect(await owner.call(deleteRole, { params })).toEqual({});
  });

  it("is never deleted while a host that uses it is created concurrently", async () => {
    const network = await owner.call(createNetwork, { body: { name: "Racing" } });
    for (let round = 0; round < 5; round++) {
      const { id: roleID } = await make();
      const body = { name: `Racing ${round}`, networkID: network.id, roleID };
      const outcomes = await Promise.all([
        outcomeOf(owner.call(createHostV2, { body })),
        outcomeOf(owner.call(deleteRole, { params: { roleID } })),
      ]);
      expect([
        ["done", "ERR_HAS_DEPENDENTS"],
        ["ERR_INVALID_REFERENCE", "done"],
      ]).toContainEqual(outcomes);
    }
  });

  it("is not found by another organization", async () => {
    const role = await make();
    const stranger = await server.signUp();
    const params = { roleID: role.id };
    await expect(stranger.call(getRole, { params })).rejects.toBeInstanceOf(NotFoundError);
    await expect(stranger.call(updateRole, { params, body: {} })).rejects.toBeInstanceOf(NotFoundError);
    await expect(stranger.call(deleteRole, { params })).rejects.toBeInstanceOf(NotFoundError);
  });
});

describe("the list of roles", () => {
  it("can be searched by parts of names and descriptions, ignoring case, with wildcards as plain text", async () => {
    await make({ name: "Edge 100%", description: "Front_door" });
    const find = async (text: string) => {
      const { data, metadata } = await owner.call(listRoles, {
        query: { "filter.search": text, includeCounts: true },
      });
      expect(metadata.totalCount).toBe(data.length);
      return data.map(({ name }) => name);
    };
    expect(await find("eDGE")).toEqual(["Edge 100%"]);
    expect(await find("0%")).toEqual(["Edge 100%"]);
    expect(await find("t_d")).toEqual(["Edge 100%"]);
    expect(await find("%")).toEqual(["Edge 100%"]);
    expect(await find("nothing like it")).toEqual([]);
  });
});
