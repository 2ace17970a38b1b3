import {
  blockHost,
  blockHostV2,
  createEnrollmentCode,
  createHostAndEnrollmentCode,
  createHostAndEnrollmentCodeV2,
  createRoute,
  deleteHost,
  deleteRoute,
  getHostV2,
  listAuditLogs,
  NotFoundError,
  runHostCommand,
  unblockHost,
  unblockHostV2,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import { errorsOf, errorCodesOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";

let fleet: Fleet;
let owner: Session;
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
  fleet = await createFleet(server, owner);
});
afterAll(() => server.close());

describe("a blocked host", () => {
  it("is shown as blocked, loses its enrollment code, can't get a new code, and can be unblocked", async () => {
    const { host } = await owner.call(createHostAndEnrollmentCodeV2, {
      body: { name: "To be blocked", networkID: fleet.networkID },
    });
    const params = { hostID: host.id };
    expect((await owner.call(blockHostV2, { params })).isBlocked).toBe(true);
    expect(await errorCodesOf(owner.call(createEnrollmentCode, { params }))).toEqual(["ERR_HOST_BLOCKED"]);
    const [entry] = (await owner.call(listAuditLogs, { query: { "filter.targetID": host.id } })).data;
    expect(entry?.event).toMatchObject({
      type: "BLOCKED_HOST",
      before: { isBlocked: false },
      after: { isBlocked: true },
    });
    expect((await owner.call(unblockHostV2, { params })).isBlocked).toBe(false);
    expect(await server.query("select from enrollment_codes where host_id = $1", [host.id])).toEqual([]);
    expect((await owner.call(createEnrollmentCode, { params })).lifetimeSeconds).toBe(86_400);
  });

  it("is returned under the key host by version 1 of the API", async () => {
    const { id } = await fleet.add();
    const params = { hostID: id };
    expect((await owner.call(blockHost, { params })).host).toMatchObject({ id, isBlocked: true });
    expect((await owner.call(unblockHost, { params })).host).toMatchObject({ id, isBlocked: false });
  });
});

describe("an enrollment code", () => {
  it("does not change the revision of its network", async () => {
    const { id } = await fleet.add();
    const revision = () => server.query("select revision from networks where id = $1", [fleet.networkID]);
    const before = await revision();
    await owner.call(createEnrollmentCode, { params: { hostID: id } });
    expect(await revision()).toEqual(before);
  });

  it("has 32 random bytes, is stored only as a hash, and replaces the previous code", async () => {
    const { id } = await fleet.add();
    const params = { hostID: id };
    const first = await owner.call(createEnrollmentCode, { params });
    const second = await owner.call(createEnrollmentCode, { params });
    expect(first.code).toMatch(/^[\w-]{43}$/);
    expect(second.code).not.toBe(first.code);
    const rows = await server.query<{ code_hash: Buffer }>(
      "select code_hash from enrollment_codes where host_id = $1",
      [id],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.code_hash.toString()).not.toContain(second.code);
  });

  it("can be created together with a host, with the requested lifetime", async () => {
    const body = { name: "Comes with", networkID: fleet.networkID };
    const created = await owner.call(createHostAndEnrollmentCodeV2, {
      body: { ...body, codeLifetimeSeconds: 600 },
    });
    expect(created.enrollmentCode.lifetimeSeconds).toBe(600);
    const first = await owner.call(createHostAndEnrollmentCode, { body: { ...body, name: "Comes with 2" } });
    expect(first).toMatchObject({
      host: { name: "Comes with 2" },
      enrollmentCode: { lifetimeSeconds: 86_400 },
    });
    expect(first.host.ipAddress).toMatch(/^100\.100\./);
  });
});

describe("deleting a host", () => {
  it("also deletes its enrollment code", async () => {
    const { id } = await fleet.add();
    const params = { hostID: id };
    await owner.call(createEnrollmentCode, { params });
    expect(await owner.call(deleteHost, { params })).toEqual({});
    await expect(owner.call(getHostV2, { params })).rejects.toBeInstanceOf(NotFoundError);
    await expect(owner.call(deleteHost, { params })).rejects.toBeInstanceOf(NotFoundError);
    expect(await server.query("select from enrollment_codes where host_id = $1", [id])).toEqual([]);
  });

  it("is rejected while the host is the router of a route", async () => {
    const { id } = await fleet.add();
    const route = await owner.call(createRoute, { body: { name: "Through", routerHostID: id } });
    const params = { hostID: id };
    expect(await errorCodesOf(owner.call(deleteHost, { params }))).toEqual(["ERR_HAS_DEPENDENTS"]);
    await owner.call(deleteRoute, { params: { routeID: route.id } });
    expect(await owner.call(deleteHost, { params })).toEqual({});
  });

  it("succeeds for only one of five concurrent requests", async () => {
    const { id } = await fleet.add();
    const attempts = await Promise.allSettled(
      Array.from({ length: 5 }, () => owner.call(deleteHost, { params: { hostID: id } })),
    );
    expect(attempts.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });
});

describe("a debug command", () => {
  it("is rejected with the reason if it cannot be run", async () => {
    const { id } = await fleet.add();
    const params = { hostID: id };
    const run = (body: object) => errorsOf(owner.call(runHostCommand, { params, body: body as never }));
    expect(await run({ command: "DebugStack" })).toMatchObject([{ code: "ERR_HOST_NOT_ENROLLED" }]);
    expect(await run({ command: "Format" })).toMatchObject([{ code: "ERR_INVALID_VALUE", path: "command" }]);
    expect(await run({ command: "PrintCert", args: { target: "x" } })).toMatchObject([
      { code: "ERR_INVALID_VALUE", path: "args.target" },
    ]);
    expect(await run({ command: "StreamLogs", args: { durationSeconds: 601, level: "loud" } })).toMatchObject(
      [{ path: "args.durationSeconds" }, { path: "args.level" }],
    );
    await owner.call(blockHostV2, { params });
    expect(await run({ command: "DebugStack" })).toMatchObject([{ code: "ERR_HOST_BLOCKED" }]);
  });
});
