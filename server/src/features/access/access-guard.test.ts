import {
  applyImport,
  type BodyInputOf,
  bulkHosts,
  createGuarantee,
  createRoute,
  createTag,
  getGuarantee,
  getJob,
  listAuditLogs,
  listHostsV2,
  planImport,
  suspendGuarantee,
  updateHostV3,
  updateRole,
  updateRoute,
  updateTag,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type DatabaseFleet, allowTcp, createDatabaseFleet } from "../../testing/database-fleet.ts";
import { errorCodesOf, errorsOf, outcomeOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";

const VIOLATED = "ERR_GUARANTEE_VIOLATED";

let server: TestServer;
let owner: Session;
let fleet: DatabaseFleet;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  owner = await server.signUp();
  fleet = await createDatabaseFleet(server, owner);
});

type GuaranteeBody = BodyInputOf<typeof createGuarantee>;

/** Hosts without the Web role never reach the databases, unless `more` says otherwise. */
const guarantee = (more: Partial<GuaranteeBody> = {}) =>
  owner.call(createGuarantee, {
    body: {
      type: "MUST_NEVER_REACH",
      source: { type: "host", id: fleet.laptopID },
      destination: { type: "role", id: fleet.database.id },
      protocol: "ANY",
      description: "Laptops never reach databases",
      ...more,
    },
  });

const databaseRules = (...firewallRules: object[]) => ({
  params: { roleID: fleet.database.id },
  body: { firewallRules: firewallRules as never },
});
const hostChange = (hostID: string, change: { roleID?: string | null; tags?: string[] }) => ({
  params: { hostID },
  body: { roleID: null, staticAddresses: [], listenPort: 0, ...change },
});

describe("a change that breaks a guarantee", () => {
  it("is rejected with a counterexample, and nothing is written", async () => {
    const { id } = await guarantee();
    const any = databaseRules(allowTcp(5432, { allowedRoleID: fleet.web.id }), allowTcp(22));
    expect(await errorsOf(owner.call(updateRole, any))).toMatchObject([
      {
        code: VIOLATED,
        message: "the change breaks a guarantee: Laptops never reach databases",
        extra: {
          guarantees: [
            {
              id,
              counterexample: {
                source: { name: "laptop" },
                destination: { host: { name: expect.stringMatching(/^db-[12]$/) as string } },
                traffic: { protocol: "TCP", portRange: { from: 22, to: 22 } },
                rule: { source: { type: "role", name: "Database" }, index: 1 },
              },
            },
          ],
        },
      },
    ]);
    const { data } = await owner.call(listAuditLogs, { query: { "filter.targetID": fleet.database.id } });
    expect(data.map(({ event }) => event.type)).toEqual(["CREATED"]);
    expect(await owner.call(getGuarantee, { params: { guaranteeID: id } })).toMatchObject({
      state: "holds",
      rejectedChangeCount: 1,
    });
    const rejections = await owner.call(listAuditLogs, { query: { "filter.action": "REJECTED_CHANGE" } });
    expect(rejections.data).toMatchObject([
      {
        actor: { type: "user", email: owner.email },
        target: { type: "guarantee", id },
        event: { after: { change: { type: "role", id: fleet.database.id, event: "UPDATED" } } },
      },
    ]);
  });

  it("is rejected for hosts, tags, routes and imports", async () => {
    await owner.call(createTag, { body: { name: "env:lab" } });
    await owner.call(updateRole, databaseRules(allowTcp(22, { allowedTags: ["env:open"] })));
    await guarantee();
    expect(
      await errorCodesOf(owner.call(updateHostV3, hostChange(fleet.laptopID, { tags: ["env:open"] }))),
    ).toEqual([VIOLATED]);
    const [databaseID = ""] = fleet.databaseIDs;
    await owner.call(updateHostV3, hostChange(databaseID, { roleID: fleet.database.id, tags: ["env:lab"] }));
    const open = { params: { tag: "env:lab" }, body: { firewallRules: [allowTcp(1)] } };
    expect(await errorCodesOf(owner.call(updateTag, open))).toEqual([VIOLATED]);
    const content = "roles:\n  - name: Database\n    firewallRules:\n      - protocol: ICMP\n";
    const { planToken } = await owner.call(planImport, { body: { format: "yaml", content } });
    expect(await errorCodesOf(owner.call(applyImport, { body: { planToken } }))).toEqual([VIOLATED]);
  });

  it("is rejected if hosts lose what they must reach, also behind a router", async () => {
    await guarantee({
      type: "MUST_REACH",
      source: { type: "role", id: fleet.web.id },
      protocol: "TCP",
      portRange: { from: 5432, to: 5432 },
    });
    expect(await errorCodesOf(owner.call(updateRole, databaseRules()))).toEqual([VIOLATED]);
    const route = await owner.call(createRoute, {
      body: {
        name: "Office",
        routerHostID: fleet.databaseIDs[0] ?? "",
        routableCIDRs: { "192.168.9.0/24": {} },
        firewallRules: [{ protocol: "ANY" }],
      },
    });
    const laptop = hostChange(fleet.laptopID, { tags: ["site:office"] });
    await owner.call(updateHostV3, laptop);
    const subscribe = (...ids: string[]) => ({
      params: { tag: "site:office" },
      body: { routeSubscriptions: ids },
    });
    await owner.call(updateTag, subscribe(route.id));
    await guarantee({
      type: "MUST_REACH",
      destination: { type: "subnet", cidr: "192.168.9.0/24" },
      protocol: "TCP",
    });
    expect(await errorCodesOf(owner.call(updateTag, subscribe()))).toEqual([VIOLATED]);
    const { id: routeID, createdAt: _, modifiedAt: __, ...body } = route;
    const without = { params: { routeID }, body: { ...body, firewallRules: [] } };
    expect(await errorCodesOf(owner.call(updateRoute, without))).toEqual([VIOLATED]);
  });

  it("is shown by a dry run, which isn't recorded", async () => {
    const { id } = await guarantee();
    const preview: unknown = await owner.call(updateRole, {
      ...databaseRules(allowTcp(22)),
      query: { dryRun: true },
    });
    expect(preview).toMatchObject({ brokenGuarantees: [{ id }], closedPairCount: 4 });
    expect(await owner.call(getGuarantee, { params: { guaranteeID: id } })).toMatchObject({
      rejectedChangeCount: 0,
    });
  });

  it("is allowed while the guarantee is suspended", async () => {
    const { id } = await guarantee();
    const until = new Date(server.ctx.clock().getTime() + 60_000).toISOString();
    const params = { guaranteeID: id };
    await owner.call(suspendGuarantee, { params, body: { reason: "Migration", until } });
    await owner.call(updateRole, databaseRules(allowTcp(22)));
    expect(await owner.call(getGuarantee, { params })).toMatchObject({ state: "suspended" });
  });

  it("is rejected only for the hosts of a bulk change that break it", async () => {
    await owner.call(updateRole, databaseRules(allowTcp(22, { allowedTags: ["env:open"] })));
    const { id: guaranteeID } = await guarantee();
    const ids = [fleet.laptopID, ...fleet.webIDs];
    const { jobID } = await owner.call(bulkHosts, { body: { action: "addTags", tags: ["env:open"], ids } });
    await server.app.jobs.drain();
    const job = await owner.call(getJob, { params: { jobID } });
    expect(job).toMatchObject({
      state: "done",
      done: 3,
      errors: [
        {
          id: fleet.laptopID,
          code: VIOLATED,
          guarantees: [{ id: guaranteeID, counterexample: { source: { name: "laptop" } } }],
        },
      ],
    });
    const { data } = await owner.call(listHostsV2, { query: { "filter.tag": "env:open" } as never });
    expect(
      data
        .filter(({ tags }) => tags.includes("env:open"))
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(fleet.webIDs.toSorted());
  });
});

describe("a guarantee that fails", () => {
  it("allows changes that don't make it worse", async () => {
    await owner.call(updateRole, databaseRules(allowTcp(22)));
    const { state } = await guarantee();
    expect(state).toBe("failing");
    await owner.call(updateRole, databaseRules(allowTcp(22), allowTcp(443)));
    const added = { name: "laptop-2", networkID: fleet.networkID };
    await fleet.add(added);
    await owner.call(updateRole, databaseRules());
  });

  it("rejects changes that make it worse", async () => {
    await owner.call(updateRole, databaseRules(allowTcp(22)));
    await guarantee({ source: { type: "any" }, portRange: { from: 22, to: 22 }, protocol: "TCP" });
    expect(await errorCodesOf(fleet.add({ name: "laptop-2" }))).toEqual([VIOLATED]);
  });
});

describe("concurrent changes", () => {
  it("that break a guarantee only together are not both made", async () => {
    await owner.call(createTag, { body: { name: "env:open" } });
    const { id } = await guarantee();
    for (let round = 0; round < 5; round++) {
      const outcomes = await Promise.all([
        outcomeOf(owner.call(updateRole, databaseRules(allowTcp(22, { allowedTags: ["env:open"] })))),
        outcomeOf(owner.call(updateHostV3, hostChange(fleet.laptopID, { tags: ["env:open"] }))),
      ]);
      expect(outcomes.toSorted()).toEqual([VIOLATED, "done"]);
      expect(await owner.call(getGuarantee, { params: { guaranteeID: id } })).toMatchObject({
        state: "holds",
      });
      await owner.call(updateHostV3, hostChange(fleet.laptopID, { tags: [] }));
      await owner.call(updateRole, databaseRules());
    }
  });

  it("and a new guarantee never lead to one that was saved as holding and fails", async () => {
    const [created] = await Promise.all([
      guarantee(),
      outcomeOf(owner.call(updateRole, databaseRules(allowTcp(22)))),
    ]);
    const now = await owner.call(getGuarantee, { params: { guaranteeID: created.id } });
    expect(now.state).toBe(created.state);
  });
});
