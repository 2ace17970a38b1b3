import { blockHostV2, createTag, deleteHost, updateNotificationRule } from "@lightkeeper/contract";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import {
  addRule,
  addSeenHost,
  markSeen,
  messagesOf,
  passTime,
  runNotifications,
  seeHosts,
  WEBHOOK_ENVIRONMENT,
} from "../../testing/notifications-fixture.ts";
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  type Session,
  startTestServer,
  type TestServer,
} from "../../testing/server.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../../testing/webhook-receiver.ts";

const SECOND_MS = 1000;

let server: TestServer;
let owner: Session;
let fleet: Fleet;
let receiver: WebhookReceiver;
beforeAll(async () => {
  server = await startTestServer({ frozen: true, environment: WEBHOOK_ENVIRONMENT });
});
afterAll(() => server.close());
beforeEach(async () => {
  receiver = await startWebhookReceiver();
  owner = await server.signUp();
  fleet = await createFleet(server, owner, "10.7.0.0/16");
});
afterEach(async () => {
  await server.query("delete from notification_rules");
  await receiver.close();
});

const titles = () => messagesOf(receiver).map(({ data }) => data.title);
const offline = { eventType: "HOST_OFFLINE", thresholdMinutes: 5 } as const;

describe("a rule about offline hosts", () => {
  it("notifies within 15 seconds after the threshold, once, with the host's name, network and link", async () => {
    await addRule(owner, receiver, offline);
    const host = await addSeenHost(server, fleet, "web-1");
    await passTime(server, 5 * MINUTE_MS - 10 * SECOND_MS);
    expect(titles()).toEqual([]);
    await passTime(server, 20 * SECOND_MS);
    expect(titles()).toEqual(["web-1 went offline"]);
    const [message] = messagesOf(receiver);
    expect(message).toMatchObject({ type: "HOST_OFFLINE", data: { count: 1 } });
    expect(message?.data.items[0]).toMatchObject({
      name: "web-1",
      url: expect.stringContaining(`/hosts/${host.id}`),
    });
    expect(message?.data.items[0]?.text).toMatch(/^web-1 \(Fleet \d+\) went offline\. Last seen .+ UTC\.$/);
    await passTime(server, 30 * MINUTE_MS, 30 * SECOND_MS);
    expect(titles()).toHaveLength(1);
  });

  it("sends one message for 1,000 hosts whose last calls are within a minute", async () => {
    await addRule(owner, receiver, offline);
    await fleet.addMany(1000);
    const rows = await server.query<{ id: string }>("select id from hosts where network_id = $1", [
      fleet.networkID,
    ]);
    await markSeen(server, ...rows.map(({ id }) => id));
    await server.query(
      "update host_presence set last_seen_at = last_seen_at - random() * interval '59 seconds' where network_id = $1",
      [fleet.networkID],
    );
    await passTime(server, 6 * MINUTE_MS, 10 * SECOND_MS);
    expect(titles()).toEqual(["1,000 hosts went offline"]);
    expect(messagesOf(receiver)[0]?.data.items).toHaveLength(20);
  });

  it("is silent about a host that comes back within the threshold", async () => {
    await addRule(owner, receiver, offline);
    const host = await addSeenHost(server, fleet, "brief");
    for (let round = 0; round < 3; round++) {
      await passTime(server, 4 * MINUTE_MS, 30 * SECOND_MS);
      await seeHosts(server, host.id);
    }
    expect(titles()).toEqual([]);
  });

  it("sends one message about a flapping host, and another one if it stays away", async () => {
    await addRule(owner, receiver, { ...offline, thresholdMinutes: 3 });
    const host = await addSeenHost(server, fleet, "flapping");
    for (let round = 0; round < 3; round++) {
      await passTime(server, 3 * MINUTE_MS + 30 * SECOND_MS, 10 * SECOND_MS);
      await seeHosts(server, host.id);
    }
    expect(titles()).toEqual(["flapping went offline"]);
    await passTime(server, 20 * MINUTE_MS, 30 * SECOND_MS);
    expect(titles()).toEqual(["flapping went offline", "flapping went offline"]);
  });

  it("considers only hosts with all of its tags, and neither blocked nor deleted ones", async () => {
    await owner.call(createTag, { body: { name: "env:prod" } });
    await addRule(owner, receiver, { ...offline, tags: ["env:prod"] });
    await addSeenHost(server, fleet, "test");
    await addSeenHost(server, fleet, "production", ["env:prod"]);
    const blocked = await addSeenHost(server, fleet, "blocked", ["env:prod"]);
    const deleted = await addSeenHost(server, fleet, "deleted", ["env:prod"]);
    await owner.call(blockHostV2, { params: { hostID: blocked.id } });
    await owner.call(deleteHost, { params: { hostID: deleted.id } });
    await passTime(server, 6 * MINUTE_MS, 10 * SECOND_MS);
    expect(titles()).toEqual(["production went offline"]);
  });

  it("doesn't report hosts that were offline before the rule, nor those that had no server to call", async () => {
    await addSeenHost(server, fleet, "long gone");
    server.advance(HOUR_MS);
    await addRule(owner, receiver, offline);
    const alive = await addSeenHost(server, fleet, "alive");
    await runNotifications(server);
    server.advance(HOUR_MS);
    await runNotifications(server);
    await seeHosts(server, alive.id);
    await passTime(server, 4 * MINUTE_MS, 30 * SECOND_MS);
    expect(titles()).toEqual([]);
  });

  it("waits until a phone has been silent for 20 minutes", async () => {
    await addRule(owner, receiver, offline);
    const phone = await addSeenHost(server, fleet, "phone");
    await server.query("update hosts set agent_name = 'mobile' where id = $1", [phone.id]);
    await passTime(server, 19 * MINUTE_MS, 30 * SECOND_MS);
    expect(titles()).toEqual([]);
    await passTime(server, 2 * MINUTE_MS, 30 * SECOND_MS);
    expect(titles()).toEqual(["phone went offline"]);
  });

  it("stops when it is disabled, and starts afresh when it is enabled again", async () => {
    const { ruleID, channelID } = await addRule(owner, receiver, offline);
    await addSeenHost(server, fleet, "unwatched");
    const body = { ...offline, channelIDs: [channelID] };
    await owner.call(updateNotificationRule, { params: { ruleID }, body: { ...body, isEnabled: false } });
    await passTime(server, 6 * MINUTE_MS, 30 * SECOND_MS);
    await owner.call(updateNotificationRule, { params: { ruleID }, body });
    await passTime(server, 6 * MINUTE_MS, 30 * SECOND_MS);
    expect(titles()).toEqual([]);
  });
});

describe("a rule about hosts that are back online", () => {
  it("notifies only after an outage, in one message for all of them", async () => {
    await addRule(owner, receiver, { eventType: "HOST_ONLINE", thresholdMinutes: 5 });
    const [one, two] = [await addSeenHost(server, fleet, "one"), await addSeenHost(server, fleet, "two")];
    await passTime(server, 3 * MINUTE_MS, 30 * SECOND_MS);
    await seeHosts(server, one.id, two.id);
    await passTime(server, 10 * MINUTE_MS, 30 * SECOND_MS);
    expect(titles()).toEqual([]);
    await seeHosts(server, one.id);
    await passTime(server, 20 * SECOND_MS);
    await seeHosts(server, two.id);
    await passTime(server, 90 * SECOND_MS);
    expect(titles()).toEqual(["2 hosts are back online"]);
    expect(messagesOf(receiver)[0]?.data.items[0]?.text).toMatch(/is back online after 10 minutes\.$/);
  });
});

describe("quiet hours and digests", () => {
  /** Moves to a time of day in UTC, and logs in again, because sessions may have expired until then. */
  const moveTo = async (hour: number, minute = 0) => {
    const now = server.ctx.clock();
    const target = new Date(now);
    target.setUTCHours(hour, minute, 0, 0);
    server.advance((target.getTime() - now.getTime() + DAY_MS) % DAY_MS);
    owner = await server.signUp();
    fleet = await createFleet(server, owner, "10.7.0.0/16");
  };

  it("holds events back during quiet hours, and sends them together afterwards", async () => {
    await moveTo(23);
    await addRule(owner, receiver, { ...offline, quietHours: { start: "22:00", end: "07:00" } });
    await addSeenHost(server, fleet, "first");
    await passTime(server, 6 * MINUTE_MS, 10 * SECOND_MS);
    await addSeenHost(server, fleet, "second");
    await passTime(server, 6 * MINUTE_MS, 10 * SECOND_MS);
    server.advance(7 * HOUR_MS);
    await runNotifications(server);
    expect(titles()).toEqual([]);
    server.advance(HOUR_MS);
    await runNotifications(server);
    expect(titles()).toEqual(["2 hosts went offline"]);
  });

  it("sends the events of an hour together", async () => {
    await moveTo(12, 1);
    await addRule(owner, receiver, { ...offline, digest: "HOURLY" });
    await addSeenHost(server, fleet, "first");
    await passTime(server, 20 * MINUTE_MS, 30 * SECOND_MS);
    await addSeenHost(server, fleet, "second");
    await passTime(server, 38 * MINUTE_MS, 30 * SECOND_MS);
    expect(titles()).toEqual([]);
    await passTime(server, 2 * MINUTE_MS, 30 * SECOND_MS);
    expect(titles()).toEqual(["2 hosts went offline"]);
  });
});

describe("other rules about hosts and CAs", () => {
  it("notifies of hosts that stay out of sync", async () => {
    await addRule(owner, receiver, { eventType: "HOST_OUT_OF_SYNC", thresholdMinutes: 5 });
    const host = await addSeenHost(server, fleet, "drifted");
    await server.query("update hosts set is_drifted = true where id = $1", [host.id]);
    await passTime(server, 4 * MINUTE_MS, 30 * SECOND_MS);
    expect(titles()).toEqual([]);
    await passTime(server, 3 * MINUTE_MS, 30 * SECOND_MS);
    expect(titles()).toEqual(["drifted is out of sync"]);
  });

  it("notifies of an expiring certificate once, and again after its renewal", async () => {
    await addRule(owner, receiver, { eventType: "CERTIFICATE_EXPIRING", days: 7 });
    const host = await addSeenHost(server, fleet, "expiring");
    const expireIn = (days: number) =>
      server.query("update hosts set certificate_expires_at = $2 where id = $1", [
        host.id,
        new Date(server.ctx.clock().getTime() + days * DAY_MS),
      ]);
    await expireIn(8);
    await passTime(server, HOUR_MS, 6 * MINUTE_MS);
    expect(titles()).toEqual([]);
    await passTime(server, 2 * DAY_MS, 3 * HOUR_MS);
    expect(titles()).toEqual(["The certificate of expiring expires soon"]);
    await expireIn(30);
    await passTime(server, 25 * DAY_MS, 12 * HOUR_MS);
    expect(titles()).toHaveLength(2);
  });

  it("notifies of an expiring CA and of a new agent", async () => {
    await addRule(owner, receiver, { eventType: "CA_EXPIRING", days: 30 });
    await addRule(owner, receiver, { eventType: "AGENT_UPDATE_AVAILABLE" });
    const host = await addSeenHost(server, fleet, "old agent");
    await server.query(
      "update hosts set agent_name = 'lightkeeper-agent', agent_version = '0.0.1' where id = $1",
      [host.id],
    );
    await server.query("update certificate_authorities set not_after = $2 where network_id = $1", [
      fleet.networkID,
      new Date(server.ctx.clock().getTime() + 10 * DAY_MS),
    ]);
    await passTime(server, HOUR_MS, 6 * MINUTE_MS);
    expect(titles().sort()).toEqual([
      "Agent test is available",
      expect.stringMatching(/^The CA .+ expires soon$/),
    ]);
  });
});
