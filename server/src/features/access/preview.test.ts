import {
  applyImport,
  blockHostV2,
  bulkHosts,
  createHostV2,
  createRole,
  createRoute,
  createTag,
  deleteHost,
  getAccessDiff,
  getRole,
  listAuditLogs,
  listHostsV2,
  planImport,
  previewAccess,
  updateHostV3,
  updateRole,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { withClient } from "../../testing/database.ts";
import { type DatabaseFleet, allowTcp, createDatabaseFleet } from "../../testing/database-fleet.ts";
import { insertApiKey } from "../../testing/api-keys.ts";
import { joinAs } from "../../testing/members.ts";
import { errorCodesOf, errorsOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";

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

const dryRun = { dryRun: true };

/** A role's rules as they would be saved. */
const roleBody = (...firewallRules: object[]) => ({ firewallRules: firewallRules as never });

describe("a dry run", () => {
  it("waits for another change of the same role", async () => {
    const params = { roleID: fleet.database.id };
    const findAttempt = async () => {
      const [waiting] = await server.query<{ began: string }>(
        `select xact_start::text as began from pg_stat_activity
          where wait_event_type = 'Lock' and datname = current_database()`,
      );
      return waiting?.began;
    };
    const preview = await withClient(server.database.url, async (client) => {
      await client.query("begin");
      await client.query("select from roles where id = $1 for update", [params.roleID]);
      const previewed = owner.call(updateRole, { params, query: dryRun, body: roleBody(allowTcp(22)) });
      const first = await vi.waitUntil(findAttempt, { timeout: 30_000 });
      await vi.waitUntil(async () => ![first, undefined].includes(await findAttempt()), { timeout: 30_000 });
      await client.query("commit");
      return previewed;
    });
    expect(preview).toMatchObject({ affectedHostCount: 2 });
  });

  it("shows what a role edit opens and closes, and writes nothing", async () => {
    const params = { roleID: fleet.database.id };
    const before = await owner.call(getRole, { params });
    const entries = async () =>
      (await owner.call(listAuditLogs, { query: { includeCounts: true } })).metadata;
    const entryCount = (await entries()).totalCount;
    const preview = await owner.call(updateRole, { params, query: dryRun, body: roleBody(allowTcp(22)) });
    expect(preview).toMatchObject({
      // Every other host reaches the two databases on port 22, and two web servers lose port 5432.
      openedPairCount: 8,
      closedPairCount: 4,
      affectedHostCount: 2,
      opened: [
        {
          networkID: fleet.networkID,
          traffic: [{ protocol: "TCP", portRange: { from: 22, to: 22 } }],
          sourceCount: 5,
          destinationCount: 2,
          pairCount: 8,
        },
      ],
      closed: [
        {
          sources: [{ role: { id: fleet.web.id, name: "Web" }, hostCount: 2 }],
          destinations: [{ role: { id: fleet.database.id, name: "Database" }, hostCount: 2 }],
          pairCount: 4,
        },
      ],
      brokenGuarantees: [],
      ownAccessLost: [],
    });
    expect(await owner.call(getRole, { params })).toEqual(before);
    expect((await entries()).totalCount).toBe(entryCount);
  });

  it("shows what the previous change has already opened only once", async () => {
    const params = { roleID: fleet.database.id };
    await owner.call(updateRole, { params, body: roleBody(allowTcp(22)) });
    const preview = await owner.call(updateRole, {
      params,
      query: dryRun,
      body: roleBody(allowTcp(22), allowTcp(23)),
    });
    expect(preview).toMatchObject({ openedPairCount: 8, closedPairCount: 0 });
  });

  it("works for hosts, tags, routes, bulk changes and imports", async () => {
    const [webID = "", databaseID = ""] = [fleet.webIDs[0], fleet.databaseIDs[0]];
    const change = { roleID: fleet.web.id, staticAddresses: [], listenPort: 0 };
    const previews = [
      await owner.call(updateHostV3, { params: { hostID: fleet.laptopID }, query: dryRun, body: change }),
      await owner.call(blockHostV2, { params: { hostID: webID }, query: dryRun }),
      await owner.call(deleteHost, { params: { hostID: databaseID }, query: dryRun }),
      await owner.call(bulkHosts, {
        query: dryRun,
        body: { action: "setRole", roleID: null, ids: fleet.webIDs },
      }),
      await owner.call(createHostV2, { query: dryRun, body: { name: "new", networkID: fleet.networkID } }),
      await owner.call(createTag, { query: dryRun, body: { name: "env:new", firewallRules: [allowTcp(1)] } }),
      await owner.call(createRoute, {
        query: dryRun,
        body: { name: "LAN", routerHostID: webID, routableCIDRs: { "192.168.0.0/24": {} } },
      }),
    ] as unknown[];
    expect(previews).toMatchObject([
      { openedPairCount: 2, closedPairCount: 0, affectedHostCount: 1 },
      { openedPairCount: 0, closedPairCount: 2 },
      { openedPairCount: 0, closedPairCount: 2, affectedHostCount: 0 },
      { openedPairCount: 0, closedPairCount: 4, affectedHostCount: 2 },
      // A host that isn't enrolled reaches nobody yet.
      { openedPairCount: 0, closedPairCount: 0, affectedHostCount: 1 },
      { openedPairCount: 0, closedPairCount: 0, affectedHostCount: 0 },
      { openedPairCount: 0, closedPairCount: 0, affectedHostCount: 1 },
    ]);
    const content = `roles:\n  - name: Database\n    firewallRules: []\n`;
    const { planToken } = await owner.call(planImport, { body: { format: "yaml", content } });
    const imported: unknown = await owner.call(applyImport, { query: dryRun, body: { planToken } });
    expect(imported).toMatchObject({ closedPairCount: 4 });
    expect(await owner.call(applyImport, { body: { planToken } })).toEqual({ created: 0, changed: 1 });
  });

  it("reports the errors of the call itself", async () => {
    const body = { name: "web-1", networkID: fleet.networkID };
    expect(await errorsOf(owner.call(createHostV2, { query: dryRun, body }))).toMatchObject([
      { code: "ERR_DUPLICATE_VALUE", path: "name" },
    ]);
    const auditor = await joinAs(server, owner, "auditor");
    const rename = { params: { roleID: fleet.web.id }, query: dryRun, body: {} };
    expect(await errorCodesOf(auditor.call(updateRole, rename))).toEqual(["ERR_FORBIDDEN"]);
    const stranger = await server.signUp();
    expect(await errorCodesOf(stranger.call(updateRole, rename))).toEqual(["ERR_NOT_FOUND"]);
  });
});

describe("a preview of several mutations", () => {
  const preview = (
    session: Session,
    ...mutations: { method: "POST" | "PUT" | "DELETE"; path: string; body?: unknown }[]
  ) => session.call(previewAccess, { body: { mutations } });

  it("shows what they open and close together", async () => {
    const shown = await preview(
      owner,
      { method: "PUT", path: `/v1/roles/${fleet.database.id}`, body: { firewallRules: [] } },
      { method: "DELETE", path: `/v1/hosts/${fleet.laptopID}` },
      {
        method: "PUT",
        path: `/v1/roles/${fleet.web.id}`,
        body: { firewallRules: [allowTcp(443, { allowedRoleID: fleet.database.id })] },
      },
    );
    expect(shown).toMatchObject({ openedPairCount: 4, closedPairCount: 4, affectedHostCount: 4 });
    const { data } = await owner.call(listHostsV2, { query: {} });
    expect(data).toHaveLength(5);
  });

  it("names the mutation that is invalid", async () => {
    const path = `/v1/roles/${fleet.web.id}`;
    const valid = { method: "PUT", path, body: {} } as const;
    const unknownRole = { firewallRules: [allowTcp(1, { allowedRoleID: `role-${"A".repeat(26)}` })] };
    expect(
      await errorsOf(
        preview(owner, valid, { method: "PUT", path, body: { firewallRules: [{ protocol: "GRE" }] } }),
      ),
    ).toMatchObject([{ code: "ERR_INVALID_VALUE", path: "mutations[1].body.firewallRules[0].protocol" }]);
    expect(await errorsOf(preview(owner, { method: "PUT", path, body: unknownRole }))).toMatchObject([
      {
        code: "ERR_INVALID_REFERENCE",
        path: expect.stringMatching(/^mutations\[0\]\.firewallRules\[0\]/) as string,
      },
    ]);
    for (const wrong of ["/v1/nothing", "v1/roles", "/v1/networks", "//x", `${path}/%ff`])
      expect(await errorsOf(preview(owner, { method: "POST", path: wrong }))).toMatchObject([
        { code: "ERR_INVALID_VALUE", path: "mutations[0].path" },
      ]);
  });

  it("requires the permission for every mutation", async () => {
    const auditor = await joinAs(server, owner, "auditor");
    const deletion = { method: "DELETE", path: `/v1/hosts/${fleet.laptopID}` } as const;
    expect(await errorCodesOf(preview(auditor, deletion))).toEqual(["ERR_FORBIDDEN"]);
    const { token } = await insertApiKey(server, owner, ["access:read", "roles:update"]);
    const call = server.client(token);
    expect(await errorCodesOf(call(previewAccess, { body: { mutations: [deletion] } }))).toEqual([
      "ERR_FORBIDDEN",
    ]);
    const update = { method: "PUT", path: `/v1/roles/${fleet.web.id}`, body: {} } as const;
    expect(await call(previewAccess, { body: { mutations: [update] } })).toMatchObject({
      openedPairCount: 0,
    });
    const stranger = await server.signUp();
    expect(await errorCodesOf(preview(stranger, deletion))).toEqual(["ERR_NOT_FOUND"]);
  });
});

describe("the audit log", () => {
  it("contains what a change opened and closed, in numbers and in detail", async () => {
    await owner.call(updateRole, { params: { roleID: fleet.database.id }, body: roleBody() });
    const { data } = await owner.call(listAuditLogs, { query: { "filter.targetID": fleet.database.id } });
    const [entry, creation] = data;
    expect(creation?.accessDiff).toBeNull();
    expect(entry?.accessDiff).toMatchObject({
      openedPairCount: 0,
      closedPairCount: 4,
      affectedHostCount: 2,
      entryCount: 1,
    });
    const params = { diffID: entry?.accessDiff?.id ?? "" };
    expect(await owner.call(getAccessDiff, { params })).toMatchObject({
      opened: [],
      closed: [{ pairCount: 4 }],
    });
    const stranger = await server.signUp();
    expect(await errorCodesOf(stranger.call(getAccessDiff, { params }))).toEqual(["ERR_NOT_FOUND"]);
  });

  it("has no numbers for changes that don't affect access", async () => {
    await owner.call(updateRole, { params: { roleID: fleet.web.id }, body: { name: "Renamed" } });
    await owner.call(createRole, { body: { name: "Nobody's", firewallRules: [allowTcp(1)] } });
    const { data } = await owner.call(listAuditLogs, { query: { "filter.targetType": "role" } });
    expect(data.map(({ accessDiff }) => accessDiff)).toEqual(data.map(() => null));
  });
});
