import {
  createTag,
  getNotificationChannel,
  getNotificationDelivery,
  listNotificationDeliveries,
  verifyAuditLogs,
} from "@lightkeeper/contract";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { chainHash } from "../../infrastructure/audit-chain/chain.ts";
import { addChannel, runNotifications, WEBHOOK_ENVIRONMENT } from "../../testing/notifications-fixture.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../../testing/webhook-receiver.ts";

let server: TestServer;
let owner: Session;
let receiver: WebhookReceiver;
beforeAll(async () => {
  server = await startTestServer({ environment: WEBHOOK_ENVIRONMENT });
});
afterAll(() => server.close());
beforeEach(async () => {
  receiver = await startWebhookReceiver();
  owner = await server.signUp();
  while ((await server.ctx.seal()) > 0);
});
afterEach(async () => {
  await server.query("delete from notification_channels");
  await receiver.close();
});

interface Line {
  sequence: number;
  hash: string;
}

/** The entries by batch, without repetitions of a batch. */
function acknowledgedLines(): Line[] {
  const batches = new Map(
    receiver.requests.map(({ headers, body }) => [String(headers["webhook-id"]), body]),
  );
  return [...batches.values()].flatMap((body) =>
    body
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Line),
  );
}

const cursorOf = async (channelID: string) =>
  (await owner.call(getNotificationChannel, { params: { channelID } })).auditCursor;

async function addTags(count: number, prefix: string): Promise<void> {
  for (let index = 0; index < count; index++)
    await owner.call(createTag, { body: { name: `${prefix}:${index}` } });
}

/** Runs until nothing is left to send. */
async function stream(...servers: TestServer[]): Promise<void> {
  for (let round = 0; round < 10; round++)
    await runNotifications(...(servers.length > 0 ? servers : [server]));
}

it("sends the entries after its creation in the order of the chain, with verifiable hashes", async () => {
  const { id, auditCursor } = await addChannel(owner, receiver, "AUDIT_STREAM");
  await addTags(150, "a");
  await stream();
  const lines = acknowledgedLines();
  const first = (auditCursor ?? 0) + 1;
  expect(lines.map(({ sequence }) => sequence)).toEqual(lines.map((_, index) => first + index));
  expect(lines.length).toBe(151);
  expect(receiver.requests.length).toBeGreaterThan(1);
  expect(receiver.requests[0]?.headers["content-type"]).toBe("application/x-ndjson");
  for (const [index, { hash, ...entry }] of lines.entries()) {
    const previous = lines[index - 1];
    if (previous)
      expect(chainHash(Buffer.from(previous.hash, "hex"), entry as never).toString("hex")).toBe(hash);
  }
  expect(await owner.call(verifyAuditLogs)).toMatchObject({ ok: true, head: lines.at(-1)?.hash });
  expect(await cursorOf(id)).toBe(lines.at(-1)?.sequence);
  const { data } = await owner.call(listNotificationDeliveries, { params: { channelID: id } });
  const details = await owner.call(getNotificationDelivery, {
    params: { deliveryID: data.at(-1)?.id ?? "" },
  });
  expect(details.request.body).toBe(receiver.requests[0]?.body);
});

it("waits for a receiver that fails, never gives up, and then continues without a gap", async () => {
  const { id, auditCursor } = await addChannel(owner, receiver, "AUDIT_STREAM");
  receiver.respondWith(503);
  await addTags(3, "b");
  await stream();
  await addTags(3, "c");
  const failed = receiver.requests.length;
  expect(failed).toBeGreaterThan(0);
  server.advance(3 * 24 * 3600 * 1000);
  await stream();
  expect(await server.query("select from notification_deliveries where state = 'FAILED'")).toEqual([]);
  receiver.requests.length = 0;
  receiver.respondWith(200);
  server.advance(3600 * 1000);
  await stream();
  const lines = acknowledgedLines();
  expect(lines.map(({ sequence }) => sequence)).toEqual(
    lines.map((_, index) => (auditCursor ?? 0) + 1 + index),
  );
  expect(lines).toHaveLength(7);
  expect(lines.at(-1)?.sequence).toBe(
    (
      await server.query<{ sequence: number }>(
        "select sequence::int from audit_heads where organization_id = $1",
        [owner.organizationID],
      )
    )[0]?.sequence,
  );
  expect(id).not.toBe("");
});

it("neither loses nor repeats an entry with two servers, and with a restart between sending and recording", async () => {
  const second = await startTestServer({ environment: WEBHOOK_ENVIRONMENT, database: server.database });
  try {
    await addChannel(owner, receiver, "AUDIT_STREAM");
    await addTags(120, "d");
    // Ends every database connection while the first request is being answered, as if both servers were killed.
    let isKilled = false;
    receiver.onRequest(async () => {
      if (isKilled) return;
      isKilled = true;
      await server.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'lightkeeper'`,
      );
      await server.query(
        "create or replace function fail_once() returns trigger language plpgsql as $$ begin raise 'killed'; end $$",
      );
      await server.query(
        "create trigger fail_once before update on notification_deliveries for each row when (new.state = 'DELIVERED') execute function fail_once()",
      );
    });
    await stream(server, second);
    await server.query("drop trigger fail_once on notification_deliveries");
    for (const one of [server, second]) one.advance(60_000);
    await stream(server, second);
    const ids = receiver.requests.map(({ headers }) => headers["webhook-id"]);
    expect(new Set(ids).size).toBeLessThan(ids.length);
    const bodies = new Map<string, Set<string>>();
    for (const { headers, body } of receiver.requests) {
      const id = String(headers["webhook-id"]);
      bodies.set(id, (bodies.get(id) ?? new Set()).add(body));
    }
    for (const versions of bodies.values()) expect(versions.size).toBe(1);
    const sequences = acknowledgedLines().map(({ sequence }) => sequence);
    expect(sequences).toHaveLength(121);
    expect(new Set(sequences).size).toBe(121);
  } finally {
    await second.close();
  }
});
