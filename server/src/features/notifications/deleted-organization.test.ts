/** What is left of notifications when their organization is deleted. */
import {
  createApiKey,
  createNotificationChannel,
  createNotificationRule,
  deleteOrganization,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createFleet } from "../../testing/fleet.ts";
import {
  addChannel,
  addRule,
  addSeenHost,
  messagesOf,
  passTime,
  runNotifications,
  WEBHOOK_ENVIRONMENT,
} from "../../testing/notifications-fixture.ts";
import { DAY_MS, MINUTE_MS, type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../../testing/webhook-receiver.ts";

const ON_CALL = "on-call@example.com";

let server: TestServer;
let receiver: WebhookReceiver;
let owner: Session;
beforeAll(async () => {
  server = await startTestServer({ frozen: true, environment: WEBHOOK_ENVIRONMENT });
  receiver = await startWebhookReceiver();
});
afterAll(async () => {
  await server.close();
  await receiver.close();
});
beforeEach(async () => {
  owner = await server.signUp();
  receiver.requests.length = 0;
  receiver.respondWith(204);
  receiver.onRequest(undefined);
});

/** Networks of tests are on the Pro plan, which prevents the deletion. */
async function deleteOwn({ call, organizationID }: Session): Promise<void> {
  await server.query("update organizations set plan = 'free' where id = $1", [organizationID]);
  await call(deleteOrganization, { params: { organizationID } });
}
const newKey = ({ call }: Session) =>
  call(createApiKey, { body: { name: "Terraform", scopes: ["networks:list"] } });

/** The number of rows in each table of notifications. */
async function countRows(): Promise<Record<string, number>> {
  const tables = await server.query<{ name: string }>(
    `select table_name as name from information_schema.tables
       where table_schema = 'public' and table_name like 'notification\\_%' order by name`,
  );
  const counts = tables.map(async ({ name }) => [name, (await server.query(`select from ${name}`)).length]);
  return Object.fromEntries(await Promise.all(counts)) as Record<string, number>;
}

it("leaves no row behind, and sends nothing afterwards", async () => {
  const before = await countRows();
  const { id: emailID } = await owner.call(createNotificationChannel, {
    body: { type: "EMAIL", name: "On-call", addresses: [ON_CALL] },
  });
  await addChannel(owner, receiver, "AUDIT_STREAM");
  const offline = { eventType: "HOST_OFFLINE", thresholdMinutes: 5 } as const;
  await addRule(owner, receiver, offline);
  await owner.call(createNotificationRule, { body: { ...offline, channelIDs: [emailID], digest: "DAILY" } });
  await addRule(owner, receiver, { eventType: "API_KEY_CREATED" });
  await addSeenHost(server, await createFleet(server, owner, "10.7.0.0/16"), "web-1");
  receiver.respondWith(500);
  await newKey(owner);
  await passTime(server, 6 * MINUTE_MS, 10_000);
  expect(
    await server.query(
      "select from notification_deliveries where organization_id = $1 and state = 'PENDING'",
      [owner.organizationID],
    ),
  ).toHaveLength(3);
  const filled = await countRows();
  expect(Object.keys(filled)).toHaveLength(8);
  for (const [name, count] of Object.entries(filled))
    expect([name, count > (before[name] ?? 0)]).toEqual([name, true]);

  const received = receiver.requests.length;
  receiver.respondWith(204);
  await deleteOwn(owner);
  expect(await countRows()).toEqual(before);
  server.advance(DAY_MS);
  await runNotifications(server);
  await server.app.outbox.drain();
  expect(receiver.requests.slice(received)).toEqual([]);
  expect(server.mails.filter(({ to }) => to === ON_CALL)).toEqual([]);
  expect(await countRows()).toEqual(before);
});

it("ends an attempt whose response arrives afterwards, and other organizations still get messages", async () => {
  const other = await server.signUp();
  await addRule(other, receiver, { eventType: "API_KEY_CREATED" });
  const before = await countRows();
  await addRule(owner, receiver, { eventType: "API_KEY_CREATED" });
  await newKey(owner);
  receiver.onRequest(async () => {
    receiver.onRequest(undefined);
    receiver.respondWith(500);
    await deleteOwn(owner);
  });
  await runNotifications(server);
  expect(receiver.requests).toHaveLength(1);
  expect(await countRows()).toMatchObject({
    notification_channel_states: before["notification_channel_states"],
    notification_deliveries: before["notification_deliveries"],
  });
  receiver.respondWith(204);
  server.advance(MINUTE_MS);
  await newKey(other);
  await runNotifications(server);
  expect(messagesOf(receiver).map(({ data }) => data.title)).toEqual(Array(2).fill("New API key: Terraform"));
});
