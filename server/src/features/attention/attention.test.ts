import { createHash } from "node:crypto";
import {
  type AttentionItem,
  blockHostV2,
  createGuarantee,
  createNotificationChannel,
  createRole,
  deleteHost,
  getAttention,
  type HostV2CreateInput,
  type Input,
  rotateCa,
  suspendGuarantee,
  updateNotificationChannel,
  updateRole,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { insertApiKey } from "../../testing/api-keys.ts";
import { markEnrolled } from "../../testing/enrolled-hosts.ts";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import { joinAs } from "../../testing/members.ts";
import { errorCodesOf } from "../../testing/request-errors.ts";
import { DAY_MS, MINUTE_MS, type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { TestAgent } from "../../testing/test-agent.ts";

let server: TestServer;
let owner: Session;
let fleet: Fleet;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  owner = await server.signUp();
  fleet = await createFleet(server, owner);
});

type Query = Input<typeof getAttention>["query"];
const items = async (query: Query = {}, session = owner): Promise<AttentionItem[]> =>
  (await session.call(getAttention, { query })).items;
const typesOf = async (query?: Query) => (await items(query)).map(({ type }) => type);

const lighthouse = { isLighthouse: true, listenPort: 4242, staticAddresses: ["192.0.2.1:4242"] };

/** Adds a host with a certificate, which is online unless `isOnline` says otherwise. */
async function addEnrolled(host: Partial<HostV2CreateInput> = {}, isOnline = true, to = fleet) {
  const added = await to.add(host);
  await markEnrolled(server, added.id);
  await setOnline(added.id, isOnline);
  return added;
}
const setOnline = (id: string, isOnline: boolean) =>
  server.query("update hosts set is_online = $2 where id = $1", [id, isOnline]);
const expireIn = (id: string, days: number) =>
  server.query("update hosts set certificate_expires_at = now() + make_interval(days => $2) where id = $1", [
    id,
    days,
  ]);

describe("a network without a reachable lighthouse", () => {
  it("needs attention from the moment a host has enrolled until a lighthouse is online", async () => {
    const host = await fleet.add({ name: "web" });
    expect(await items()).toEqual([]);
    await markEnrolled(server, host.id);
    expect(await items()).toMatchObject([
      {
        type: "NETWORK_WITHOUT_LIGHTHOUSE",
        severity: "CRITICAL",
        objects: [{ type: "network", id: fleet.networkID, name: expect.stringContaining("Fleet") }],
        hostCount: 1,
        since: null,
        expiresAt: null,
      },
    ]);
    await addEnrolled({ name: "lh-1", ...lighthouse });
    expect(await items()).toEqual([]);
  });

  it("names the lighthouses and when the last of them was seen", async () => {
    await addEnrolled();
    const [one, two] = [
      await addEnrolled({ name: "lh-1", ...lighthouse }),
      await addEnrolled({ name: "lh-2", ...lighthouse }),
    ];
    await server.query(
      `update host_presence set last_seen_at = case host_id when $1 then timestamptz '2026-01-01' else '2026-01-02' end
       where host_id = any($2)`,
      [one.id, [one.id, two.id]],
    );
    await setOnline(one.id, false);
    expect(await items()).toEqual([]);
    await setOnline(two.id, false);
    const [item] = await items();
    expect(item).toMatchObject({ since: "2026-01-02T00:00:00.000Z", hostCount: 1 });
    expect(item?.objects.map(({ name }) => name).slice(1)).toEqual(["lh-1", "lh-2"]);
  });

  it("includes a network whose only lighthouse is blocked or deleted", async () => {
    await addEnrolled();
    const { id } = await addEnrolled(lighthouse);
    expect(await items()).toEqual([]);
    await owner.call(blockHostV2, { params: { hostID: id } });
    expect(await typesOf()).toEqual(["NETWORK_WITHOUT_LIGHTHOUSE"]);
    await owner.call(deleteHost, { params: { hostID: id } });
    expect(await typesOf()).toEqual(["NETWORK_WITHOUT_LIGHTHOUSE"]);
  });
});

describe("certificates", () => {
  beforeEach(() => addEnrolled(lighthouse));

  it("need attention if they expire within 30 days, until they are renewed", async () => {
    const [web, db] = [await addEnrolled({ name: "web" }), await addEnrolled({ name: "db" })];
    await expireIn(web.id, 31);
    expect(await items()).toEqual([]);
    await expireIn(web.id, 20);
    await expireIn(db.id, 5);
    const [item, ...others] = await items();
    expect(others).toEqual([]);
    expect(item).toMatchObject({ type: "CERTIFICATE_EXPIRING", severity: "WARNING", hostCount: 2 });
    expect(item?.objects.map(({ name }) => name)).toEqual(["db", "web"]);
    const daysLeft = (Date.parse(item?.expiresAt ?? "") - Date.now()) / DAY_MS;
    expect(Math.round(daysLeft)).toBe(5);
    expect(Date.parse(item?.expiresAt ?? "") - Date.parse(item?.since ?? "")).toBe(30 * DAY_MS);
    for (const { id } of [web, db]) await expireIn(id, 365);
    expect(await items()).toEqual([]);
  });

  it("need no attention if a device expires with its owner's sign-in", async () => {
    const { id } = await addEnrolled();
    await expireIn(id, 20);
    await server.query("update hosts set endpoint_oidc_user_id = $2 where id = $1", [
      id,
      `eoidcuser-${"A".repeat(26)}`,
    ]);
    expect(await items()).toEqual([]);
    const { health } = await owner.call(getAttention);
    expect(health.expiring).toBe(1);
  });
});

describe("a CA", () => {
  const expireCaIn = (days: number) =>
    server.query(
      `update certificate_authorities set not_after = now() + make_interval(days => $2) where network_id = $1`,
      [fleet.networkID, days],
    );

  it("needs attention if it expires within 30 days, and urgently within 7", async () => {
    await addEnrolled(lighthouse);
    await addEnrolled();
    await expireCaIn(31);
    expect(await items()).toEqual([]);
    await expireCaIn(20);
    expect(await items()).toMatchObject([
      {
        type: "CA_EXPIRING",
        severity: "WARNING",
        objects: [{ type: "ca" }, { type: "network", id: fleet.networkID }],
        hostCount: 1,
        expiresAt: expect.any(String),
      },
    ]);
    await expireCaIn(6);
    expect(await items()).toMatchObject([{ type: "CA_EXPIRING", severity: "CRITICAL" }]);
  });
});

describe("a CA rotation", () => {
  it("needs attention after it has waited for hosts for ten minutes, until they are done", async () => {
    await addEnrolled(lighthouse);
    const host = await fleet.add({ name: "sleeper" });
    await TestAgent.enrollHost(server.url, owner, host.id);
    await owner.call(rotateCa, { params: { networkID: fleet.networkID }, body: {} });
    expect(await items()).toEqual([]);
    await server.query("update ca_rotations set step_started_at = $2 where network_id = $1", [
      fleet.networkID,
      new Date(server.ctx.clock().getTime() - 11 * MINUTE_MS),
    ]);
    expect(await items()).toMatchObject([
      {
        type: "ROTATION_WAITING",
        severity: "WARNING",
        objects: [
          { type: "network", id: fleet.networkID },
          { type: "host", id: host.id, name: "sleeper" },
        ],
        hostCount: 1,
      },
    ]);
    await owner.call(blockHostV2, { params: { hostID: host.id } });
    server.advance(MINUTE_MS / 2);
    await vi.waitFor(async () => expect(await items()).toEqual([]));
  });
});

describe("a guarantee", () => {
  const port = { from: 22, to: 22 };
  const allowSsh = (roleID: string, isAllowed: boolean) =>
    owner.call(updateRole, {
      params: { roleID },
      body: { name: "Database", firewallRules: isAllowed ? [{ protocol: "TCP", portRange: port }] : [] },
    });

  it("needs attention while it fails and isn't suspended", async () => {
    await addEnrolled(lighthouse);
    const { id: roleID } = await owner.call(createRole, {
      body: { name: "Database", firewallRules: [{ protocol: "TCP", portRange: port }] },
    });
    for (const name of ["db-1", "db-2"]) await addEnrolled({ name, roleID });
    const guarantee = await owner.call(createGuarantee, {
      body: {
        type: "MUST_NEVER_REACH",
        source: { type: "any" },
        destination: { type: "role", id: roleID },
        protocol: "TCP",
        portRange: port,
        description: "No SSH",
      },
    });
    expect(await items()).toMatchObject([
      {
        type: "GUARANTEE_FAILING",
        severity: "CRITICAL",
        objects: [{ type: "guarantee", id: guarantee.id, name: "No SSH" }],
        hostCount: 2,
        since: guarantee.failingSince,
      },
    ]);
    const until = new Date(server.ctx.clock().getTime() + DAY_MS).toISOString();
    await owner.call(suspendGuarantee, {
      params: { guaranteeID: guarantee.id },
      body: { reason: "Migration", until },
    });
    expect(await items()).toEqual([]);
    await server.query(
      "update guarantees set suspended_until = null, suspension_reason = null where id = $1",
      [guarantee.id],
    );
    expect(await typesOf()).toEqual(["GUARANTEE_FAILING"]);
    await allowSsh(roleID, false);
    await server.app.guaranteeMonitor.drain();
    expect(await items()).toEqual([]);
  });
});

describe("a block", () => {
  it("needs attention if a host hasn't acknowledged it after two minutes, until it has", async () => {
    await addEnrolled(lighthouse);
    const [host, thief] = [await fleet.add({ name: "sleeper" }), await fleet.add({ name: "thief" })];
    const agent = await TestAgent.enrollHost(server.url, owner, host.id);
    await TestAgent.enrollHost(server.url, owner, thief.id);
    await owner.call(blockHostV2, { params: { hostID: thief.id } });
    expect(await items()).toEqual([]);
    await server.query(
      "update host_blocks set blocked_at = blocked_at - interval '3 minutes' where host_id = $1",
      [thief.id],
    );
    expect(await items()).toMatchObject([
      {
        type: "BLOCK_UNACKNOWLEDGED",
        severity: "WARNING",
        objects: [{ type: "host", id: thief.id, name: "thief" }],
        hostCount: 1,
      },
    ]);
    const { action } = await agent.poll();
    await agent.update(action.command as "DoConfigUpdate");
    await agent.report({ configHash: createHash("sha256").update(agent.state.config).digest("hex") });
    await vi.waitFor(async () => expect(await items()).toEqual([]));
  });
});

describe("a notification channel", () => {
  it("needs attention while its deliveries fail and it is enabled", async () => {
    const { id } = await owner.call(createNotificationChannel, {
      body: { type: "WEBHOOK", name: "On-call", url: "https://hooks.example.com/alerts" },
    });
    expect(await items()).toEqual([]);
    await server.query(
      `insert into notification_channel_states (channel_id, failing_since) values ($1, '2026-11-01')
        on conflict (channel_id) do update set failing_since = excluded.failing_since`,
      [id],
    );
    expect(await items()).toMatchObject([
      {
        type: "CHANNEL_FAILING",
        severity: "WARNING",
        objects: [{ type: "notificationChannel", id, name: "On-call" }],
        since: "2026-11-01T00:00:00.000Z",
      },
    ]);
    await owner.call(updateNotificationChannel, {
      params: { channelID: id },
      body: { name: "On-call", url: "https://hooks.example.com/alerts", isEnabled: false },
    });
    expect(await items()).toEqual([]);
  });
});

describe("the items", () => {
  it("are sorted by severity, hosts affected and age", async () => {
    const [small, large] = [fleet, await createFleet(server, owner, "10.77.0.0/24")];
    await addEnrolled({}, false, small);
    for (let count = 0; count < 2; count++) await expireIn((await addEnrolled({}, false, large)).id, 5);
    expect((await items()).map(({ type, hostCount }) => [type, hostCount])).toEqual([
      ["NETWORK_WITHOUT_LIGHTHOUSE", 2],
      ["NETWORK_WITHOUT_LIGHTHOUSE", 1],
      ["CERTIFICATE_EXPIRING", 2],
    ]);
    expect(await typesOf({ "filter.networkID": small.networkID })).toEqual(["NETWORK_WITHOUT_LIGHTHOUSE"]);
  });

  it("are those of one organization, for every member and for API keys with all scopes", async () => {
    await addEnrolled();
    const stranger = await server.signUp();
    expect(await items({}, stranger)).toEqual([]);
    expect(await items({ "filter.networkID": fleet.networkID }, stranger)).toEqual([]);
    const auditor = await joinAs(server, owner, "auditor");
    expect(await items({}, auditor)).toHaveLength(1);
    const { token } = await insertApiKey(server, owner, ["hosts:list", "networks:list", "guarantees:list"]);
    expect((await server.client(token)(getAttention)).items).toHaveLength(1);
    const { token: lesser } = await insertApiKey(server, owner, ["hosts:list"]);
    expect(await errorCodesOf(server.client(lesser)(getAttention))).toEqual(["ERR_FORBIDDEN"]);
    expect(await errorCodesOf(server.client()(getAttention))).toEqual(["ERR_UNAUTHORIZED"]);
  });

  it("are rejected for an invalid filter", async () => {
    const query = { "filter.networkID": "production" };
    expect(await errorCodesOf(owner.call(getAttention, { query }))).toEqual(["ERR_INVALID_VALUE"]);
  });
});
