import { blockHostV2, getHostV2, type HostV2, listHostsV2 } from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { readEvents } from "../../testing/events.ts";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import { MINUTE_MS, type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { TestAgent } from "../../testing/test-agent.ts";
import { sweepPresence } from "../../nouns/hosts/host-presence.service.ts";

let server: TestServer;
let owner: Session;
let fleet: Fleet;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
  fleet = await createFleet(server, owner);
});
afterAll(() => server.close());

async function online(): Promise<string[]> {
  const query = {
    "filter.status": "online",
    "filter.networkID": fleet.networkID,
    includeCounts: true,
  } as const;
  const { data, metadata } = await owner.call(listHostsV2, { query });
  expect(metadata.totalCount).toBe(data.length);
  return data.map(({ id }) => id);
}
const lastSeen = async ({ id }: HostV2) =>
  (await owner.call(getHostV2, { params: { hostID: id } })).metadata.lastSeenAt;
/** The agent's clock goes with the server's. */
function advance(ms: number, ...agents: TestAgent[]): void {
  server.advance(ms);
  for (const agent of agents) agent.skewMs += ms;
}

describe("a host", () => {
  it("is online once it is heard, which consoles are told, and offline 90 seconds after it fell silent", async () => {
    const host = await fleet.add();
    const agent = await TestAgent.enrollHost(server.url, owner, host.id);
    agent.skewMs = server.ctx.clock().getTime() - Date.now();
    expect(await online()).toEqual([host.id]);
    advance(91_000, agent);
    expect(await sweepPresence(server.ctx)).toBe(1);
    const events = await readEvents(server, owner);
    await agent.send("CheckForUpdate");
    const change = { noun: "hosts", id: host.id, networkID: fleet.networkID };
    const told = () => events.changes.filter(({ noun }) => noun === "hosts");
    await vi.waitFor(() => expect(told()).toEqual([change]));
    expect(await online()).toEqual([host.id]);
    await agent.send("CheckForUpdate");
    advance(89_000, agent);
    expect(await sweepPresence(server.ctx)).toBe(0);
    advance(2000, agent);
    expect(await sweepPresence(server.ctx)).toBe(1);
    expect(await online()).toEqual([]);
    await vi.waitFor(() => expect(told()).toEqual([change, change]), 20_000);
    events.close();
    await agent.send("CheckForUpdate");
    await server.app.presence.drain();
    expect(await online()).toEqual([host.id]);
    await owner.call(blockHostV2, { params: { hostID: host.id } });
    expect(await online()).toEqual([]);
  });

  it("that is a phone may sleep for twenty minutes", async () => {
    const host = await fleet.add();
    const agent = await TestAgent.enrollHost(server.url, owner, host.id, "MobileNebula/0.5 (iOS)");
    agent.skewMs = server.ctx.clock().getTime() - Date.now();
    await agent.send("CheckForUpdate");
    await server.app.presence.drain();
    advance(19 * MINUTE_MS);
    expect(await sweepPresence(server.ctx)).toBe(0);
    advance(2 * MINUTE_MS);
    expect(await sweepPresence(server.ctx)).toBe(1);
    expect((await owner.call(getHostV2, { params: { hostID: host.id } })).metadata.platform).toBe("mobile");
  });

  it("is noted as seen every 15 seconds at most", async () => {
    const host = await fleet.add();
    const agent = await TestAgent.enrollHost(server.url, owner, host.id);
    agent.skewMs = server.ctx.clock().getTime() - Date.now();
    const hear = async () => {
      await agent.send("CheckForUpdate");
      await server.app.presence.drain();
      return lastSeen(host);
    };
    const first = await hear();
    expect(Date.parse(first!)).toBeGreaterThan(server.ctx.clock().getTime() - 10_000);
    advance(10_000, agent);
    expect(await hear()).toBe(first);
    advance(6000, agent);
    expect(await hear()).not.toBe(first);
  });

  it("shows another agent or version when it comes with one", async () => {
    const host = await fleet.add();
    const agent = await TestAgent.enrollHost(server.url, owner, host.id);
    agent.skewMs = server.ctx.clock().getTime() - Date.now();
    agent.userAgent = "dnclient/0.9.1";
    await agent.send("CheckForUpdate");
    await server.app.presence.drain();
    expect((await owner.call(getHostV2, { params: { hostID: host.id } })).metadata).toMatchObject({
      version: "0.9.1",
      updateAvailable: false,
    });
  });
});

it("tells of many that go at once by their network", async () => {
  const own = await createFleet(server, owner);
  await own.addMany(30);
  await server.query("update hosts set enrolled_at = now(), is_online = true where network_id = $1", [
    own.networkID,
  ]);
  const events = await readEvents(server, owner);
  expect(await sweepPresence(server.ctx)).toBeGreaterThanOrEqual(30);
  await vi.waitFor(() => expect(events.changes).toContainEqual({ noun: "hosts", networkID: own.networkID }));
  expect(events.changes.length).toBeLessThan(10);
  events.close();
});
