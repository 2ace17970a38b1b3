import {
  getAccessMatrix,
  getHostAccess,
  NotFoundError,
  type QueryOf,
  updateRole,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AccessFleet, createAccessFleet } from "../../../testing/access-fixture.ts";
import { insertApiKey } from "../../../testing/api-keys.ts";
import { createFleet } from "../../../testing/fleet.ts";
import { joinAs } from "../../../testing/members.ts";
import { errorCodesOf, errorsOf } from "../../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../../testing/server.ts";

let server: TestServer;
let owner: Session;
let fleet: AccessFleet;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
  fleet = await createAccessFleet(server, owner);
});
afterAll(() => server.close());

const hostParams = (name: keyof AccessFleet["hosts"]) => ({ params: { hostID: fleet.hosts[name] } });
const matrix = (query: Partial<QueryOf<typeof getAccessMatrix>> = {}, session = owner) =>
  session.call(getAccessMatrix, { params: { networkID: fleet.networkID }, query });

describe("the access of a host", () => {
  it("is read from the database, and changes with a rule", async () => {
    const person = await server.signUp();
    const { hosts, roles } = await createAccessFleet(server, person);
    const read = () => person.call(getHostAccess, { params: { hostID: hosts["database-1"] } });
    const before = await read();
    expect(before.inbound).toMatchObject([
      { group: { role: { id: roles.web, name: "Web" }, tags: [], hostCount: 2 } },
      { group: { role: null, tags: ["team:data"] }, rules: [{ source: { name: "Database" }, index: 1 }] },
    ]);
    const params = { roleID: roles.database };
    await person.call(updateRole, { params, body: { name: "Database", firewallRules: [] } });
    const after = await read();
    expect(after).toMatchObject({ inbound: [], inboundGroupCount: 0, inboundHostCount: 0 });
    expect(after.revision).toBeGreaterThan(before.revision);
  });

  it("is limited by the search", async () => {
    const query = { "filter.search": "office" };
    const access = await owner.call(getHostAccess, { ...hostParams("laptop"), query });
    expect(access).toMatchObject({ outbound: [], outboundGroupCount: 0, subnets: [] });
    const tooLong = { "filter.search": "x".repeat(1000) };
    expect(
      await errorsOf(owner.call(getHostAccess, { ...hostParams("laptop"), query: tooLong })),
    ).toMatchObject([{ path: "filter.search" }]);
  });

  it("is visible to auditors and to keys with the scope, and to nobody else", async () => {
    const auditor = await joinAs(server, owner, "auditor");
    expect(await auditor.call(getHostAccess, hostParams("web-1"))).toMatchObject({ host: { name: "web-1" } });
    const { token } = await insertApiKey(server, owner, ["hosts:read"]);
    expect(await errorCodesOf(server.client(token)(getHostAccess, hostParams("web-1")))).toEqual([
      "ERR_FORBIDDEN",
    ]);
    const stranger = await server.signUp();
    await expect(stranger.call(getHostAccess, hostParams("web-1"))).rejects.toBeInstanceOf(NotFoundError);
  });
});

describe("the matrix of a network", () => {
  it("has groups by default", async () => {
    const found = await matrix();
    expect(found).toMatchObject({ detail: "groups", hostCount: 5, groupCount: 4 });
    expect(found.groups.map(({ role, tags }) => [role?.name ?? null, ...tags])).toEqual([
      ["Database"],
      ["Router"],
      ["Web"],
      [null, "team:data"],
    ]);
    expect(found.subnets).toEqual([{ cidr: "192.168.5.0/24", except: [] }]);
  });

  it("rejects invalid queries, and hosts without a filter if there are many", async () => {
    expect(await errorsOf(matrix({ detail: "everything" as never }))).toMatchObject([{ path: "detail" }]);
    expect(await errorsOf(matrix({ "filter.port": 70_000 }))).toMatchObject([{ path: "filter.port" }]);
    const person = await server.signUp();
    const { networkID, addMany } = await createFleet(server, person);
    await addMany(51);
    const read = (query: object) => person.call(getAccessMatrix, { params: { networkID }, query });
    expect(await errorsOf(read({ detail: "hosts" }))).toMatchObject([
      {
        code: "ERR_INVALID_VALUE",
        path: "detail",
        message: expect.stringContaining("filter first") as string,
      },
    ]);
    const filtered = await read({ detail: "hosts", "filter.search": "many 5" });
    expect(filtered.groups.map(({ hosts: [host] }) => host?.name)).toEqual(["many 5", "many 50", "many 51"]);
  });

  it("is visible to auditors and to keys with the scope, and to nobody else", async () => {
    const auditor = await joinAs(server, owner, "auditor");
    expect(await matrix({ detail: "roles" }, auditor)).toMatchObject({ detail: "roles" });
    const { token } = await insertApiKey(server, owner, ["networks:read"]);
    const params = { networkID: fleet.networkID };
    expect(await errorCodesOf(server.client(token)(getAccessMatrix, { params }))).toEqual(["ERR_FORBIDDEN"]);
    const stranger = await server.signUp();
    await expect(matrix({}, stranger)).rejects.toBeInstanceOf(NotFoundError);
  });
});
