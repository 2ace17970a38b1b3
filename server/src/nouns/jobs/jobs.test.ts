import {
  bulkHosts,
  createRole,
  createRoute,
  deleteHost,
  deleteRole,
  getJob,
  type HostV2,
  listAuditLogs,
  listHostsV2,
  NotFoundError,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import { errorsOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";

let server: TestServer;
let owner: Session;
let fleet: Fleet;
let hosts: HostV2[];
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
  fleet = await createFleet(server, owner);
  hosts = [];
  for (const name of ["one", "two", "three"]) hosts.push(await fleet.add({ name }));
});
afterAll(() => server.close());

type Body = Parameters<typeof bulk>[0];
const bulk = async (body: object, session = owner) => session.call(bulkHosts, { body: body as never });

/** Creates the job while no runner works, calls `meanwhile`, then starts the runner. */
async function runLater(body: Body, meanwhile: () => Promise<unknown>) {
  const idle = await startTestServer({ database: server.database });
  await idle.app.jobs.stop();
  const { jobID } = await idle.client(owner.userToken, owner.authToken)(bulkHosts, { body: body as never });
  await meanwhile();
  await idle.close();
  await server.app.jobs.drain();
  return owner.call(getJob, { params: { jobID } });
}

/** Creates the job, runs it to the end and returns it. */
async function run(body: Body) {
  const { jobID } = await bulk(body);
  await server.app.jobs.drain();
  return owner.call(getJob, { params: { jobID } });
}
const ids = () => hosts.map(({ id }) => id);
const current = async () => (await owner.call(listHostsV2, { query: { "filter.search": "" } })).data;
const entriesOf = async (id: string) =>
  (await owner.call(listAuditLogs, { query: { "filter.targetID": id } })).data.map(({ event }) => event.type);

describe("a bulk change", () => {
  it("adds and removes tags with an entry for each changed host", async () => {
    const job = await run({ ids: ids().slice(0, 2), action: "addTags", tags: ["bulk:yes", "env:x"] });
    expect(job).toMatchObject({ state: "done", done: 2, total: 2, errors: [] });
    expect((await current()).map(({ tags }) => tags)).toEqual([
      ["bulk:yes", "env:x"],
      ["bulk:yes", "env:x"],
      [],
    ]);
    await run({ filter: { networkID: fleet.networkID }, action: "addTags", tags: ["bulk:yes"] });
    const counts = await Promise.all(ids().map(async (id) => (await entriesOf(id)).length));
    expect(counts).toEqual([2, 2, 2]);
    await run({ filter: { tag: ["bulk:yes"] }, action: "removeTags", tags: ["bulk:yes", "no:such"] });
    expect((await current()).map(({ tags }) => tags)).toEqual([["env:x"], ["env:x"], []]);
  });

  it("sets and removes a role", async () => {
    const role = await owner.call(createRole, { body: { name: "Bulk" } });
    await run({ ids: ids(), action: "setRole", roleID: role.id });
    expect(new Set((await current()).map(({ roleID }) => roleID))).toEqual(new Set([role.id]));
    await run({ filter: { roleID: role.id }, action: "setRole", roleID: null });
    expect(new Set((await current()).map(({ roleID }) => roleID))).toEqual(new Set([null]));
  });

  it("blocks and unblocks", async () => {
    await run({ filter: { search: "t" }, action: "block" });
    expect((await current()).map(({ isBlocked }) => isBlocked)).toEqual([false, true, true]);
    expect((await entriesOf(hosts[1]?.id ?? ""))[0]).toBe("BLOCKED_HOST");
    await run({ filter: { isBlocked: true }, action: "unblock" });
    expect((await current()).map(({ isBlocked }) => isBlocked)).toEqual([false, false, false]);
  });

  it("reports which hosts failed and why, and changes the rest", async () => {
    const [router, plain, gone] = [await fleet.add(), await fleet.add(), await fleet.add()];
    await owner.call(createRoute, { body: { name: "Through", routerHostID: router.id } });
    const body = { ids: [router.id, plain.id, gone.id], action: "delete" };
    const job = await runLater(body, () => owner.call(deleteHost, { params: { hostID: gone.id } }));
    expect(job).toMatchObject({ state: "done", done: 3, total: 3 });
    const reasons = Object.fromEntries(job.errors.map(({ id, code }) => [id, code]));
    expect(reasons).toEqual({ [router.id]: "ERR_HAS_DEPENDENTS", [gone.id]: "ERR_NOT_FOUND" });
    const left = (await current()).map(({ id }) => id);
    expect(left).toContain(router.id);
    expect(left).not.toContain(plain.id);
  });

  it("finishes with errors when no host can be changed", async () => {
    const role = await owner.call(createRole, { body: { name: "Vanishing" } });
    const body = { ids: ids(), action: "setRole", roleID: role.id };
    const job = await runLater(body, () => owner.call(deleteRole, { params: { roleID: role.id } }));
    expect(job).toMatchObject({ state: "done", done: 3, total: 3 });
    expect(job.errors.map(({ code }) => code)).toEqual(Array(3).fill("ERR_INVALID_REFERENCE"));
  });

  it("without hosts is done immediately", async () => {
    const { jobID } = await bulk({ filter: { search: "nobody" }, action: "delete" });
    expect(await owner.call(getJob, { params: { jobID } })).toMatchObject({ state: "done", total: 0 });
  });

  it("selects hosts by IDs or filter, and only its own organization's", async () => {
    const stranger = await server.signUp();
    expect(await errorsOf(bulk({ action: "block" }))).toMatchObject([{ code: "ERR_INVALID_VALUE" }]);
    expect(await errorsOf(bulk({ action: "block", ids: ids(), filter: {} }))).toHaveLength(1);
    expect(await errorsOf(bulk({ action: "explode", ids: ids() }))).toMatchObject([{ path: "action" }]);
    expect(await errorsOf(bulk({ action: "addTags", ids: ids(), tags: [] }))).toMatchObject([
      { path: "tags" },
    ]);
    expect(await errorsOf(bulk({ action: "block", ids: [...ids(), "host-none"] }))).toMatchObject([
      { code: "ERR_INVALID_REFERENCE", path: "ids[3]" },
    ]);
    expect(await errorsOf(bulk({ action: "block", ids: ids() }, stranger))).toMatchObject([
      { code: "ERR_INVALID_REFERENCE", path: "ids[0]" },
    ]);
    expect(await errorsOf(bulk({ action: "setRole", roleID: "role-none", ids: ids() }))).toMatchObject([
      { code: "ERR_INVALID_REFERENCE", path: "roleID" },
    ]);
    const { jobID } = await bulk({ filter: { search: "nobody" }, action: "delete" });
    await expect(stranger.call(getJob, { params: { jobID } })).rejects.toBeInstanceOf(NotFoundError);
  });
});

describe("a bulk change of 1,200 hosts", () => {
  it("continues after its process dies, and changes each host once", async () => {
    const person = await server.signUp();
    const large = await createFleet(server, person, "10.7.0.0/16");
    await large.addMany(1200);
    const { jobID } = await bulk({ filter: {}, action: "addTags", tags: ["bulk:many"] }, person);
    const others = [
      await startTestServer({ database: server.database }),
      await startTestServer({ database: server.database }),
    ];
    try {
      // Terminates the connection during a transaction, which is rolled back, as if the process was killed.
      const interrupted = others[0]?.app.jobs.drain();
      await server.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'lightkeeper' and datname = current_database() and state <> 'idle'`,
      );
      await interrupted;
      // The server that created the job may be working on it, too.
      await Promise.all([server, ...others].map(({ app }) => app.jobs.drain()));
    } finally {
      for (const one of others) await one.close();
    }
    const job = await person.call(getJob, { params: { jobID } });
    expect(job).toMatchObject({ state: "done", done: 1200, total: 1200, errors: [] });
    const { metadata } = await person.call(listHostsV2, {
      query: { "filter.tag": ["bulk:many"], includeCounts: true },
    });
    expect(metadata.totalCount).toBe(1200);
    const [entries] = await server.query<{ all: number; hosts: number }>(
      `select count(*)::int as all, count(distinct target_id)::int as hosts from audit_logs
       where organization_id = $1 and target_type = 'host'`,
      [person.organizationID],
    );
    expect(entries).toEqual({ all: 1200, hosts: 1200 });
    expect(await server.query("select from job_items where job_id = $1", [jobID])).toEqual([]);
  });
});
