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
/** Advances the clocks of the server and of the agents. */
function advance(ms: number, ...agents: TestAgent[]): void {
  server.advance(ms);
  for (const agent of agents) agent.skewMs += ms;
}

describe("a host", () => {
  it("is online after a message and offline 90 seconds after its last, and consoles are notified of both", async () => {
    const host = await fleet.add();
    const agent = await TestAgent.enrollHost(server.url, owner, host.id);
    agent.skewMs = server.ctx.clock().getTime() - Date.now();
    expect(await online()).toEqual([host.id]);
    advance(91_000, agent);
    expect(await sweepPresence(server.ctx)).toBe(1);
    const events = await readEvents(server, owner);
    await agent.send("CheckForUpdate");
    const change = { noun: "hosts", id: host.id, networkID: fleet.networkID };
    const hostChanges = () => events.changes.filter(({ noun }) => noun === "hosts");
    await vi.waitFor(() => expect(hostChanges()).toEqual([change]));
    expect(await online()).toEqual([host.id]);
    await agent.send("CheckForUpdate");
    advance(89_000, agent);
    expect(await sweepPresence(server.ctx)).toBe(0);
    advance(2000, agent);
    expect(await sweepPresence(server.ctx)).toBe(1);
    expect(await online()).toEqual([]);
    await vi.waitFor(() => expect(hostChanges()).toEqual([change, change]), 20_000);
    events.close();
    await agent.send("CheckForUpdate");
    await server.app.presence.drain();
    expect(await online()).toEqual([host.id]);
    await owner.call(blockHostV2, { params: { hostID: host.id } });
    expect(await online()).toEqual([]);
  });

  it("that is a phone stays online for 20 minutes without messages", async () => {
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

  it("updates lastSeenAt at most every 15 seconds", async () => {
    const host = await fleet.add();
    const agent = await TestAgent.enrollHost(server.url, owner, host.id);
    agent.skewMs = server.ctx.clock().getTime() - Date.now();
    const sendMessage = async () => {
      await agent.send("CheckForUpdate");
      await server.app.presence.drain();
      return lastSeen(host);
    };
    const first = await sendMessage();
    expect(Date.parse(first!)).toBeGreaterThan(server.ctx.clock().getTime() - 10_000);
    advance(10_000, agent);
    expect(await sendMessage()).toBe(first);
    advance(6000, agent);
    expect(await sendMessage()).not.toBe(first);
  });

  it("shows the agent and version of its latest message", async () => {
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

it("sends one event for a network when many of its hosts go offline, not one for each host", async () => {
  const largeFleet = await createFleet(server, owner);
  await largeFleet.addMany(30);
  await server.query("update hosts set enrolled_at = now(), is_online = true where network_id = $1", [
    largeFleet.networkID,
  ]);
  const events = await readEvents(server, owner);
  expect(await sweepPresence(server.ctx)).toBeGreaterThanOrEqual(30);
  await vi.waitFor(() =>
    expect(events.changes).toContainEqual({ noun: "hosts", networkID: largeFleet.networkID }),
  );
  expect(events.changes.length).toBeLessThan(10);
  events.close();
});
