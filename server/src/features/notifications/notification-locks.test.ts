/** Deleting an organization, channel or rule while a process works on its notifications: no deadlock. */
import {
  createApiKey,
  deleteNotificationChannel,
  deleteNotificationRule,
  deleteOrganization,
} from "@lightkeeper/contract";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { createFleet } from "../../testing/fleet.ts";
import {
  addChannel,
  addRule,
  runNotifications,
  WEBHOOK_ENVIRONMENT,
} from "../../testing/notifications-fixture.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../../testing/webhook-receiver.ts";

/** Any number: the key of the advisory lock that pauses a process. */
const PAUSE = 4711;

let server: TestServer;
let receiver: WebhookReceiver;
let owner: Session;
let pausing: pg.Client;
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
  pausing = new pg.Client({ connectionString: server.database.url });
  await pausing.connect();
});
afterEach(async () => {
  await pausing.end();
  await server.query("drop function if exists pause cascade");
  await server.query("delete from notification_channels");
  await server.query("delete from notification_rules");
});

/** Lets every insert into the table wait until `resume`. */
async function pauseInserts(table: string): Promise<void> {
  await pausing.query(`select pg_advisory_lock(${PAUSE})`);
  await server.query(
    `create function pause() returns trigger language plpgsql as
       $$ begin perform pg_advisory_xact_lock_shared(${PAUSE}); return new; end $$`,
  );
  await server.query(`create trigger pause before insert on ${table} for each row execute function pause()`);
}
const resume = () => pausing.query(`select pg_advisory_unlock(${PAUSE})`);

interface Added {
  ruleID: string;
  channelID: string;
}

const deletions = {
  organization: async () => {
    const { organizationID } = owner;
    await server.query("update organizations set plan = 'free' where id = $1", [organizationID]);
    return owner.call(deleteOrganization, { params: { organizationID } });
  },
  channel: ({ channelID }: Added) => owner.call(deleteNotificationChannel, { params: { channelID } }),
  rule: ({ ruleID }: Added) => owner.call(deleteNotificationRule, { params: { ruleID } }),
};

/** Deletes while a process inserts a row, and returns the result. */
async function deleteDuringInsert(
  deleted: keyof typeof deletions,
  table: string,
  added: Added,
): Promise<unknown> {
  await pauseInserts(table);
  const working = runNotifications(server);
  await expect.poll(() => server.countLockWaits()).toBe(1);
  const deleting = deletions[deleted](added);
  await expect.poll(() => server.countLockWaits()).toBe(2);
  await resume();
  const [result] = await Promise.all([deleting, working]);
  return result;
}

it.each([
  ["organization", "an event is recorded", "notification_events"],
  ["organization", "a message is queued", "notification_deliveries"],
  ["organization", "a response is recorded", "notification_channel_states"],
  ["channel", "a message is queued", "notification_deliveries"],
  ["channel", "a response is recorded", "notification_channel_states"],
] as const)("deletes the %s while %s", async (deleted, _step, table) => {
  const added = await addRule(owner, receiver, { eventType: "API_KEY_CREATED" });
  await owner.call(createApiKey, { body: { name: "Terraform", scopes: ["networks:list"] } });
  expect(await deleteDuringInsert(deleted, table, added)).toEqual({});
});

it.each(["organization", "rule"] as const)("deletes the %s while a CA is found", async (deleted) => {
  await createFleet(server, owner);
  const added = await addRule(owner, receiver, { eventType: "CA_EXPIRING", days: 365 });
  await server.query("update certificate_authorities set not_after = $1", [
    new Date(server.ctx.clock().getTime() + 1000),
  ]);
  expect(await deleteDuringInsert(deleted, "notification_subjects", added)).toEqual({});
});

it.each(["organization", "channel"] as const)(
  "deletes the %s while a part of the audit log is queued",
  async (deleted) => {
    const { id: channelID } = await addChannel(owner, receiver, "AUDIT_STREAM");
    expect(await deleteDuringInsert(deleted, "notification_deliveries", { channelID, ruleID: "" })).toEqual(
      {},
    );
  },
);
