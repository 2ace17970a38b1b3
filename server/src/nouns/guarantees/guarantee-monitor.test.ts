import {
  type BodyInputOf,
  createGuarantee,
  getGuarantee,
  listAuditLogs,
  suspendGuarantee,
  updateHostV3,
  updateRole,
  updateTag,
} from "@lightkeeper/contract";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { deleteOldChanges } from "../../features/access/access-state.queries.ts";
import { type AccessFleet, createAccessFleet } from "../../testing/access-fixture.ts";
import { readEvents } from "../../testing/events.ts";
import { noSsh, port } from "../../testing/guarantees-fixture.ts";
import { HOUR_MS, type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { TestAgent } from "../../testing/test-agent.ts";

type GuaranteeBody = BodyInputOf<typeof createGuarantee>;

let server: TestServer;
let owner: Session;
let fleet: AccessFleet;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  owner = await server.signUp();
  fleet = await createAccessFleet(server, owner);
  await monitor();
});

const monitor = (on = server) => on.app.guaranteeMonitor.drain();

/** Web servers never reach databases by SSH, unless `more` says otherwise. */
const create = async (more: Partial<GuaranteeBody> = {}, by = { owner, fleet }): Promise<string> =>
  (await by.owner.call(createGuarantee, { body: noSsh(by.fleet, more) })).id;

const suspend = async (id: string, until = new Date(server.ctx.clock().getTime() + HOUR_MS)) => {
  const body = { reason: "Migration", until: until.toISOString() };
  await owner.call(suspendGuarantee, { params: { guaranteeID: id }, body });
  return until;
};

/** Allows SSH from any host to the databases, or from none. */
const allowSsh = (isAllowed: boolean, by = { owner, fleet }) =>
  by.owner.call(updateRole, {
    params: { roleID: by.fleet.roles.database },
    body: { name: "Database", firewallRules: isAllowed ? [{ protocol: "TCP", portRange: port(22) }] : [] },
  });

const read = (id: string, by = owner) => by.call(getGuarantee, { params: { guaranteeID: id } });

/** The events of the entries by the server, oldest first. */
async function recorded(id: string, by = owner): Promise<string[]> {
  const { data } = await by.call(listAuditLogs, {
    query: { "filter.targetID": id, "filter.actor": "system" },
  });
  return data.map(({ event }) => event.type).toReversed();
}

/** The monitor checks everything while a transaction is open that may be older than the changes that were deleted. */
async function waitForOpenTransactions(): Promise<void> {
  const [{ next } = { next: "" }] = await server.query<{ next: string }>(
    "select pg_snapshot_xmax(pg_current_snapshot())::text as next",
  );
  const haveEnded = async () =>
    (await server.query("select where pg_snapshot_xmin(pg_current_snapshot())::text::numeric >= $1", [next]))
      .length > 0;
  await vi.waitUntil(haveEnded, { timeout: 30_000 });
}

interface LockedWork {
  work: () => Promise<unknown>;
  /** How many transactions of the work wait for the lock. */
  waiting: number;
  meanwhile?: () => Promise<unknown>;
}

/** Starts work that waits for the lock of a guarantee, and unlocks it after something else was done. */
async function whileLocked(id: string, { work, waiting, meanwhile }: LockedWork): Promise<void> {
  const client = new pg.Client({ connectionString: server.database.url });
  await client.connect();
  try {
    await client.query("begin");
    await client.query("select from guarantees where id = $1 for update", [id]);
    const working = work();
    await vi.waitFor(async () => expect(await server.countLockWaits()).toBe(waiting), 20_000);
    await meanwhile?.();
    await client.query("rollback");
    await working;
  } finally {
    await client.end();
  }
}

describe("a guarantee", () => {
  it("stops failing when a role repairs it, and consoles are notified", async () => {
    await allowSsh(true);
    const id = await create();
    expect(await read(id)).toMatchObject({ state: "failing" });
    await allowSsh(false);
    const events = await readEvents(server, owner);
    await monitor();
    expect(await recorded(id)).toEqual(["STOPPED_FAILING"]);
    await vi.waitFor(() => expect(events.changes).toContainEqual({ noun: "guarantees", id }));
    events.close();
    const rows = await server.query("select failing_since from guarantees where id = $1", [id]);
    expect(rows).toEqual([{ failing_since: null }]);
  });

  it("that was broken while it was suspended starts to fail, and its suspension ends", async () => {
    const id = await create();
    const until = await suspend(id);
    await allowSsh(true);
    await monitor();
    expect(await recorded(id)).toEqual(["STARTED_FAILING"]);
    const broken = await read(id);
    expect(broken).toMatchObject({ state: "suspended", failingSince: expect.any(String) as string });
    await monitor();
    server.advance(2 * HOUR_MS);
    await monitor();
    expect(await recorded(id)).toEqual(["STARTED_FAILING", "UPDATED"]);
    expect(await read(id)).toMatchObject({ state: "failing", failingSince: broken.failingSince });
    const { data } = await owner.call(listAuditLogs, { query: { "filter.targetID": id } });
    expect(data).toMatchObject([
      { event: { before: { suspension: { until: until.toISOString() } }, after: { suspension: null } } },
      {
        event: {
          before: { failingSince: null },
          after: {
            failingSince: broken.failingSince,
            brokenPairCount: 2,
            counterexample: { destination: { host: { name: "database-1" } } },
          },
        },
      },
      {},
      {},
    ]);
  });

  it("that nobody checked during its suspension starts to fail when that ends", async () => {
    const id = await create();
    await suspend(id);
    await allowSsh(true);
    server.advance(2 * HOUR_MS);
    const endedAt = server.ctx.clock();
    await monitor();
    expect(await recorded(id)).toEqual(["UPDATED", "STARTED_FAILING"]);
    const { state, failingSince } = await read(id);
    expect(state).toBe("failing");
    expect(new Date(failingSince ?? 0) >= endedAt).toBe(true);
  });

  it("fails while its router runs a version of Nebula that can't serve the route", async () => {
    const id = await create({
      type: "MUST_REACH",
      source: { type: "host", id: fleet.hosts.laptop },
      destination: { type: "subnet", cidr: "192.168.5.0/24" },
      portRange: port(80),
    });
    const router = await TestAgent.enrollHost(server.url, owner, fleet.hosts.router);
    router.skewMs = server.ctx.clock().getTime() - Date.now();
    const report = async (nebulaVersion: string) =>
      expect(await router.report({ configHash: "0".repeat(64), nebulaVersion })).toMatchObject({
        status: 200,
      });
    await report("1.9.3");
    await monitor();
    expect(await recorded(id)).toEqual([]);
    await report("1.8.2");
    await monitor();
    expect(await recorded(id)).toEqual(["STARTED_FAILING"]);
    await report("1.10.0");
    await monitor();
    expect(await recorded(id)).toEqual(["STARTED_FAILING", "STOPPED_FAILING"]);
  });

  it("stops failing when no host is left that it is about", async () => {
    await allowSsh(true);
    const id = await create({ source: { type: "tag", id: "env:test" } });
    expect(await read(id)).toMatchObject({ state: "failing" });
    const params = { hostID: fleet.hosts["web-2"] };
    await owner.call(updateHostV3, {
      params,
      body: { roleID: null, staticAddresses: [], listenPort: 0, tags: [] },
    });
    await monitor();
    expect(await recorded(id)).toEqual(["STOPPED_FAILING"]);
    expect(await read(id)).toMatchObject({ state: "noHosts", failingSince: null });
  });
});

describe("the monitor", () => {
  it("writes nothing while no guarantee starts or stops failing", async () => {
    const holds = await create();
    const failing = await create({ portRange: port(5432) });
    const versions = () =>
      server.query("select id, xmin from guarantees where id = any($1) order by id", [[holds, failing]]);
    const before = await versions();
    await monitor();
    await owner.call(updateTag, { params: { tag: "team:data" }, body: { description: "Analysts" } });
    await monitor();
    expect(await versions()).toEqual(before);
    expect([await recorded(holds), await recorded(failing)]).toEqual([[], []]);
  });

  it("needs one statement while nothing changes", async () => {
    await create();
    await monitor();
    const statements = vi.spyOn(server.ctx.reader, "selectFrom");
    await monitor();
    expect(statements).toHaveBeenCalledTimes(1);
    statements.mockRestore();
  });

  it("records a change once if two processes find it at the same time", async () => {
    const another = await startTestServer({ database: server.database });
    try {
      const id = await create();
      await suspend(id);
      await monitor(another);
      await allowSsh(true);
      await whileLocked(id, { work: () => Promise.all([monitor(), monitor(another)]), waiting: 2 });
      expect(await recorded(id)).toEqual(["STARTED_FAILING"]);
    } finally {
      await another.close();
    }
  });

  it("doesn't record a state that has changed again in the meantime", async () => {
    const id = await create();
    await suspend(id);
    await allowSsh(true);
    await monitor();
    await allowSsh(false);
    await whileLocked(id, { work: () => monitor(), waiting: 1, meanwhile: () => allowSsh(true) });
    expect(await recorded(id)).toEqual(["STARTED_FAILING"]);
    expect(await read(id)).toMatchObject({ failingSince: expect.any(String) as string });
  });

  it("doesn't touch another organization", async () => {
    const stranger = await server.signUp();
    const by = { owner: stranger, fleet: await createAccessFleet(server, stranger) };
    const theirs = await create({}, by);
    const id = await create();
    await suspend(id);
    await allowSsh(true);
    await monitor();
    expect(await recorded(id)).toEqual(["STARTED_FAILING"]);
    expect(await recorded(theirs, stranger)).toEqual([]);
    expect(await read(theirs, stranger)).toMatchObject({ state: "holds", failingSince: null });
  });

  it("continues after a failed statement, with every other organization first", async () => {
    const stranger = await server.signUp();
    const by = { owner: stranger, fleet: await createAccessFleet(server, stranger) };
    await allowSsh(true);
    await allowSsh(true, by);
    const [id, theirs] = [await create(), await create({}, by)];
    await allowSsh(false);
    await allowSsh(false, by);
    await server.query(`
      create function fail() returns trigger language plpgsql as $$ begin raise exception 'failed'; end $$;
      create trigger fail before update on guarantees for each row
        when (new.id = '${id}') execute function fail()`);
    await monitor();
    expect(await recorded(id)).toEqual([]);
    expect(await recorded(theirs, stranger)).toEqual(["STOPPED_FAILING"]);
    await server.query("drop function fail cascade");
    await server.query("alter table guarantees rename to unreadable");
    await monitor();
    await server.query("alter table unreadable rename to guarantees");
    await monitor();
    expect(await recorded(id)).toEqual(["STOPPED_FAILING"]);
  });

  it("checks everything when it starts, and if changes since its last round are no longer stored", async () => {
    await allowSsh(true);
    const id = await create();
    await allowSsh(false);
    await deleteOldChanges(server.ctx.unaudited, new Date(Date.now() + HOUR_MS));
    await monitor();
    expect(await recorded(id)).toEqual(["STOPPED_FAILING"]);
    await waitForOpenTransactions();
    await monitor();
    await server.query("update guarantees set failing_since = now() where id = $1", [id]);
    await monitor();
    expect(await recorded(id)).toEqual(["STOPPED_FAILING"]);
    const restarted = await startTestServer({ database: server.database });
    await monitor(restarted);
    await restarted.close();
    expect(await recorded(id)).toEqual(["STOPPED_FAILING", "STOPPED_FAILING"]);
  });
});
