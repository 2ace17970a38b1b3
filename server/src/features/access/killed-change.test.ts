/** A change whose database connection or process dies after the check, before the commit. */
import {
  createClient,
  createGuarantee,
  getGuarantee,
  getRole,
  listAuditLogs,
  updateRole,
} from "@lightkeeper/contract";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { allowTcp, createDatabaseFleet, type DatabaseFleet } from "../../testing/database-fleet.ts";
import { errorCodesOf } from "../../testing/request-errors.ts";
import { buildServer, findFreePort, startServerProcess } from "../../testing/server-processes.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";

// A server process is built and started here.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const SECRET_KEY = Buffer.alloc(32, 9).toString("base64");

let server: TestServer;
let owner: Session;
let fleet: DatabaseFleet;
let guaranteeID: string;
beforeAll(async () => {
  server = await startTestServer({ environment: { SECRET_KEY } });
});
afterAll(() => server.close());
beforeEach(async () => {
  owner = await server.signUp();
  fleet = await createDatabaseFleet(server, owner);
  const body = {
    type: "MUST_NEVER_REACH",
    source: { type: "host", id: fleet.laptopID },
    destination: { type: "role", id: fleet.database.id },
    protocol: "ANY",
  } as const;
  guaranteeID = (await owner.call(createGuarantee, { body })).id;
});

const rules = (...firewallRules: ReturnType<typeof allowTcp>[]) => ({
  params: { roleID: fleet.database.id },
  body: { firewallRules },
});
/** Keeps the guarantee. */
const allowWeb = (port: number) => rules(allowTcp(port, { allowedRoleID: fleet.web.id }));

const CHECKED = `
  select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    and query like '%insert into audit_logs%'`;
const isRunning = async (pid: number) =>
  (await server.query("select from pg_stat_activity where pid = $1", [pid])).length > 0;

/** Keeps a checked change from writing its audit entry, and kills it there. Resolves with the caller's error. */
async function killBeforeCommit(
  change: () => Promise<unknown>,
  kill: (pid: number) => Promise<unknown>,
): Promise<unknown> {
  const client = new pg.Client({ connectionString: server.database.url });
  await client.connect();
  try {
    await client.query("begin");
    await client.query("lock table audit_logs in share mode");
    const error = change().then(
      () => undefined,
      (failure: unknown) => failure,
    );
    const pid = await vi.waitFor(async () => {
      const [waiting] = await server.query<{ pid: number }>(CHECKED);
      if (!waiting) throw new Error("The change has not been checked yet");
      return waiting.pid;
    }, 30_000);
    await kill(pid);
    await client.query("rollback");
    await vi.waitFor(async () => expect(await isRunning(pid)).toBe(false), 30_000);
    return await error;
  } finally {
    await client.end();
  }
}

/** Nothing of the change is left, and the next ones are made and checked. */
async function expectNothingWritten(): Promise<void> {
  const eventsOf = async (id: string) =>
    (await owner.call(listAuditLogs, { query: { "filter.targetID": id } })).data.map(
      ({ event }) => event.type,
    );
  const { params } = rules();
  expect((await owner.call(getRole, { params })).firewallRules).toEqual(fleet.database.firewallRules);
  expect(await eventsOf(fleet.database.id)).toEqual(["CREATED"]);
  expect(await eventsOf(guaranteeID)).toEqual(["CREATED"]);
  expect(
    await server.query("select from access_diffs where organization_id = $1", [owner.organizationID]),
  ).toEqual([]);
  await owner.call(updateRole, allowWeb(5433));
  expect(await errorCodesOf(owner.call(updateRole, rules(allowTcp(22))))).toEqual(["ERR_GUARANTEE_VIOLATED"]);
  expect(await owner.call(getGuarantee, { params: { guaranteeID } })).toMatchObject({
    state: "holds",
    rejectedChangeCount: 1,
  });
}

describe("a change that was checked", () => {
  it("is not made if its database connection ends before the commit", async () => {
    const error = await killBeforeCommit(
      () => owner.call(updateRole, allowWeb(443)),
      (pid) => server.query("select pg_terminate_backend($1)", [pid]),
    );
    expect(error).toMatchObject({ errors: [{ code: "ERR_UNAVAILABLE" }] });
    await expectNothingWritten();
  });

  it("is not made if its process is killed before the commit", async () => {
    const build = buildServer();
    const port = await findFreePort();
    const databaseURL = server.database.url;
    const process = await startServerProcess({ build, port, databaseURL, secretKey: SECRET_KEY });
    try {
      const call = createClient({
        baseURL: process.url,
        authorization: () => `Bearer ${owner.userToken} ${owner.authToken}`,
      });
      const error = await killBeforeCommit(
        () => call(updateRole, allowWeb(443)),
        () => process.kill(),
      );
      expect(error).toBeInstanceOf(Error);
      await expectNothingWritten();
    } finally {
      await process.kill();
      build.remove();
    }
  });
});
