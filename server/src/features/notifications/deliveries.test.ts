import {
  createNotificationChannel,
  getNotificationChannel,
  getNotificationDelivery,
  listNotificationDeliveries,
  type NotificationChannelType,
  resendNotificationDelivery,
  rotateNotificationSecret,
  testNotificationChannel,
  updateNotificationChannel,
} from "@lightkeeper/contract";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { joinAs } from "../../testing/members.ts";
import { addChannel, messagesOf, WEBHOOK_ENVIRONMENT } from "../../testing/notifications-fixture.ts";
import { errorCodesOf } from "../../testing/request-errors.ts";
import { DAY_MS, HOUR_MS, type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { isSignedWith, startWebhookReceiver, type WebhookReceiver } from "../../testing/webhook-receiver.ts";
import { deleteOldDeliveries } from "./deliveries.service.ts";

const REBOUND = "rebound.example";
let resolved = 0;
let server: TestServer;
let owner: Session;
let receiver: WebhookReceiver;
beforeAll(async () => {
  server = await startTestServer({
    frozen: true,
    environment: WEBHOOK_ENVIRONMENT,
    webhooks: {
      timeoutMs: 500,
      /** The second lookup of this name returns a private address. */
      resolve: async (name) => {
        if (name !== REBOUND) throw new Error(`Tests don't resolve ${name}`);
        return [{ address: resolved++ === 0 ? "192.0.2.1" : "127.0.0.1", family: 4 }];
      },
    },
  });
});
afterAll(() => server.close());
beforeEach(async () => {
  receiver = await startWebhookReceiver();
  owner = await server.signUp();
});
afterEach(async () => {
  await server.query("delete from notification_channels");
  await receiver.close();
});

const deliver = () => server.app.deliveries.drain();
async function sendTest(channelID: string) {
  const { id } = await owner.call(testNotificationChannel, { params: { channelID } });
  await deliver();
  return id;
}
const read = (deliveryID: string) => owner.call(getNotificationDelivery, { params: { deliveryID } });

describe("a webhook", () => {
  it("is signed, and logged with its request and response", async () => {
    const { id, secret } = await addChannel(owner, receiver);
    receiver.respondWith(200, "accepted");
    const deliveryID = await sendTest(id);
    const [request] = receiver.requests;
    expect(request && isSignedWith(secret, request)).toBe(true);
    expect(request && isSignedWith(`whsec_${"A".repeat(44)}`, request)).toBe(false);
    expect(request?.headers["webhook-id"]).toBe(deliveryID);
    expect(messagesOf(receiver)).toMatchObject([{ type: "TEST", data: { count: 1 } }]);
    expect(await read(deliveryID)).toMatchObject({
      state: "DELIVERED",
      attempts: 1,
      request: { body: request?.body, headers: { "webhook-id": deliveryID } },
      response: { status: 200, body: "accepted", error: null },
    });
    const channel = await owner.call(getNotificationChannel, { params: { channelID: id } });
    expect(channel).toMatchObject({
      failingSince: null,
      lastDelivery: { id: deliveryID, state: "DELIVERED" },
    });
  });

  it("is signed with both secrets for 24 hours after a rotation", async () => {
    const { id, secret: old } = await addChannel(owner, receiver);
    const { secret } = await owner.call(rotateNotificationSecret, { params: { channelID: id } });
    await sendTest(id);
    server.advance(DAY_MS + HOUR_MS);
    await sendTestLater(id);
    const signed = receiver.requests.map((request) => [
      isSignedWith(old, request),
      isSignedWith(secret, request),
    ]);
    expect(signed).toEqual([
      [true, true],
      [false, true],
    ]);
  });

  /** The owner's session has expired by then. */
  async function sendTestLater(channelID: string): Promise<void> {
    await server.query(
      "update notification_deliveries set state = 'PENDING', next_attempt_at = $2 where channel_id = $1",
      [channelID, server.ctx.clock()],
    );
    await deliver();
  }

  it("is repeated with growing delays and the same ID for a day, and then given up", async () => {
    const { id } = await addChannel(owner, receiver);
    receiver.respondWith(500, "x".repeat(5000));
    const deliveryID = await sendTest(id);
    const startedAt = server.ctx.clock().getTime();
    const stateOf = async () =>
      (
        await server.query<{ state: string; next_attempt_at: Date | null }>(
          "select state, next_attempt_at from notification_deliveries where id = $1",
          [deliveryID],
        )
      )[0];
    const first = await read(deliveryID);
    expect(first).toMatchObject({ state: "PENDING", attempts: 1, status: 500 });
    expect(first.response?.body).toHaveLength(2048);
    const delays: number[] = [];
    for (let next = (await stateOf())?.next_attempt_at; next; next = (await stateOf())?.next_attempt_at) {
      const delay = next.getTime() - server.ctx.clock().getTime();
      delays.push(delay);
      server.advance(delay);
      await deliver();
    }
    expect((await stateOf())?.state).toBe("FAILED");
    expect(server.ctx.clock().getTime() - startedAt).toBeGreaterThan(DAY_MS - HOUR_MS);
    expect(server.ctx.clock().getTime() - startedAt).toBeLessThanOrEqual(DAY_MS);
    for (const [index, delay] of delays.entries()) {
      const longest = Math.min(5000 * 2 ** index, HOUR_MS);
      expect(delay).toBeLessThanOrEqual(longest);
      expect(delay).toBeGreaterThanOrEqual(longest * 0.8 - 1);
    }
    expect(new Set(receiver.requests.map(({ headers }) => headers["webhook-id"]))).toEqual(
      new Set([deliveryID]),
    );
    expect(receiver.requests).toHaveLength(delays.length + 1);
  });

  it("marks its channel as failing until an attempt succeeds, and can be sent again", async () => {
    const { id } = await addChannel(owner, receiver);
    receiver.respondWith(302);
    const deliveryID = await sendTest(id);
    const failing = () => owner.call(getNotificationChannel, { params: { channelID: id } });
    expect((await failing()).failingSince).not.toBeNull();
    expect((await read(deliveryID)).response?.error).toContain("redirected");
    receiver.respondWith(204);
    await owner.call(resendNotificationDelivery, { params: { deliveryID } });
    await deliver();
    expect(await read(deliveryID)).toMatchObject({ state: "DELIVERED", attempts: 2 });
    expect((await failing()).failingSince).toBeNull();
    expect(receiver.requests.map(({ headers }) => headers["webhook-id"])).toEqual([deliveryID, deliveryID]);
  });

  it("is not sent while its channel is disabled", async () => {
    const { secret: _, ...channel } = await addChannel(owner, receiver);
    const params = { channelID: channel.id };
    await owner.call(updateNotificationChannel, { params, body: { ...channel, isEnabled: false } });
    await sendTest(channel.id);
    expect(receiver.requests).toEqual([]);
    await owner.call(updateNotificationChannel, { params, body: { ...channel, isEnabled: true } });
    await deliver();
    expect(receiver.requests).toHaveLength(1);
  });

  it("never reaches a private address, also by DNS rebinding, and times out", async () => {
    resolved = 0;
    const port = new URL(receiver.url).port;
    const { id } = await addChannel(owner, { url: `http://${REBOUND}:${port}/hook` });
    // The first address is reserved and the second is this machine; neither is public.
    const deliveryID = await sendTest(id);
    expect((await read(deliveryID)).response?.error).toContain("WEBHOOK_ALLOWED_HOSTS");
    await owner.call(resendNotificationDelivery, { params: { deliveryID } });
    await deliver();
    expect((await read(deliveryID)).response?.error).toContain("WEBHOOK_ALLOWED_HOSTS");
    expect(receiver.requests).toEqual([]);
    const slow = await addChannel(owner, receiver);
    let release: (() => void) | undefined;
    receiver.onRequest(() => new Promise((resolve) => (release = resolve)));
    const timedOut = await sendTest(slow.id);
    expect((await read(timedOut)).response?.error).toContain("did not respond within 0.5 seconds");
    release?.();
  });
});

describe("the payload", () => {
  it.each<[Exclude<NotificationChannelType, "EMAIL">, object]>([
    [
      "SLACK",
      { text: "Test notification from Lightkeeper", blocks: [{ type: "section" }, { type: "section" }] },
    ],
    [
      "TEAMS",
      {
        type: "message",
        attachments: [
          { contentType: "application/vnd.microsoft.card.adaptive", content: { type: "AdaptiveCard" } },
        ],
      },
    ],
  ])("of %s has its format and no signature", async (type, expected) => {
    const { id } = await addChannel(owner, receiver, type);
    await sendTest(id);
    expect(messagesOf(receiver)).toMatchObject([expected]);
    expect(receiver.requests[0]?.headers["webhook-signature"]).toBeUndefined();
  });

  it("of email is one mail per address", async () => {
    const addresses = ["one@example.com", "two@example.com"];
    const body = { type: "EMAIL" as const, name: "On-call", addresses };
    const { id } = await owner.call(createNotificationChannel, { body });
    const deliveryID = await sendTest(id);
    await server.app.outbox.drain();
    const mails = server.mails.filter(({ to }) => addresses.includes(to));
    expect(mails.map(({ to }) => to)).toEqual(addresses);
    expect(mails[0]).toMatchObject({ subject: "Test notification from Lightkeeper" });
    expect(mails[0]?.text).toContain("/settings/notifications");
    expect(await read(deliveryID)).toMatchObject({ state: "DELIVERED", response: null });
  });
});

describe("deliveries", () => {
  it("are listed by state, and belong to one organization", async () => {
    const { id } = await addChannel(owner, receiver);
    const deliveryID = await sendTest(id);
    const list = (by: Session, state?: "FAILED" | "DELIVERED") =>
      by.call(listNotificationDeliveries, {
        params: { channelID: id },
        query: state && { "filter.state": state },
      });
    expect((await list(owner, "DELIVERED")).data.map((delivery) => delivery.id)).toEqual([deliveryID]);
    expect((await list(owner, "FAILED")).data).toEqual([]);
    const stranger = await server.signUp();
    const params = { deliveryID };
    expect(await errorCodesOf(list(stranger))).toEqual(["ERR_NOT_FOUND"]);
    expect(await errorCodesOf(stranger.call(getNotificationDelivery, { params }))).toEqual(["ERR_NOT_FOUND"]);
    expect(await errorCodesOf(stranger.call(resendNotificationDelivery, { params }))).toEqual([
      "ERR_NOT_FOUND",
    ]);
    const auditor = await joinAs(server, owner, "auditor");
    expect((await list(auditor)).data).toHaveLength(1);
    expect(await errorCodesOf(auditor.call(resendNotificationDelivery, { params }))).toEqual([
      "ERR_FORBIDDEN",
    ]);
    expect(await errorCodesOf(auditor.call(testNotificationChannel, { params: { channelID: id } }))).toEqual([
      "ERR_FORBIDDEN",
    ]);
  });

  it("are deleted after 30 days, and when a channel has too many", async () => {
    const { id } = await addChannel(owner, receiver);
    await sendTest(id);
    await server.query(
      `insert into notification_deliveries (id, organization_id, channel_id, type, title, body, state, attempts,
         created_at, finished_at)
       select 'delivery-' || n, organization_id, channel_id, type, title, body, state, attempts,
         created_at - n * interval '1 second', finished_at
       from notification_deliveries, generate_series(1, 1200) n where channel_id = $1`,
      [id],
    );
    const count = async () =>
      (await server.query("select from notification_deliveries where channel_id = $1", [id])).length;
    await deleteOldDeliveries(server.ctx.unaudited, server.ctx.clock());
    expect(await count()).toBe(1000);
    await deleteOldDeliveries(server.ctx.unaudited, new Date(server.ctx.clock().getTime() + 31 * DAY_MS));
    expect(await count()).toBe(0);
  });
});
