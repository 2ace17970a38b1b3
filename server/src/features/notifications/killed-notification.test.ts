/** A server that is killed between an event and the end of its delivery, and servers that work at the same time. */
import { createApiKey } from "@lightkeeper/contract";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { addRule, runNotifications, WEBHOOK_ENVIRONMENT } from "../../testing/notifications-fixture.ts";
import {
  buildServer,
  findFreePort,
  type ServerBuild,
  startServerProcess,
} from "../../testing/server-processes.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../../testing/webhook-receiver.ts";

// A server process is built and started here.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

const SECRET_KEY = Buffer.alloc(32, 9).toString("base64");
let server: TestServer;
let owner: Session;
let build: ServerBuild;
let receiver: WebhookReceiver;
beforeAll(async () => {
  build = buildServer();
  server = await startTestServer({ environment: { ...WEBHOOK_ENVIRONMENT, SECRET_KEY } });
});
afterAll(async () => {
  await server.close();
  build.remove();
});
beforeEach(async () => {
  receiver = await startWebhookReceiver();
  owner = await server.signUp();
  return () => receiver.close();
});

const newKey = (name: string) =>
  owner.call(createApiKey, { body: { name, scopes: ["networks:list" as const] } });
const startProcess = async () =>
  startServerProcess({
    build,
    port: await findFreePort(),
    databaseURL: server.database.url,
    secretKey: SECRET_KEY,
    environment: WEBHOOK_ENVIRONMENT,
  });
const receivedIDs = () => receiver.requests.map(({ headers }) => headers["webhook-id"]);
const deliveries = () =>
  server.query<{ id: string; state: string }>(
    "select id, state from notification_deliveries where organization_id = $1",
    [owner.organizationID],
  );
const events = () =>
  server.query("select from notification_events where organization_id = $1", [owner.organizationID]);

it("repeats a delivery with its ID when the server is killed before it records the response", async () => {
  await addRule(owner, receiver, { eventType: "API_KEY_CREATED" });
  const first = await startProcess();
  const killed = new Promise<void>((resolve) =>
    receiver.onRequest(async () => {
      receiver.onRequest(undefined);
      await first.kill();
      resolve();
    }),
  );
  await newKey("Once");
  await killed;
  expect(await deliveries()).toMatchObject([{ state: "PENDING" }]);
  // Another process takes over when the claim of the killed one has expired.
  server.advance(60_000);
  await runNotifications(server);
  const [delivery, ...others] = await deliveries();
  expect(others).toEqual([]);
  expect(delivery?.state).toBe("DELIVERED");
  expect(receivedIDs()).toEqual([delivery?.id, delivery?.id]);
});

it.each([
  ["recording the event", "insert", "notification_events"],
  ["queueing the deliveries", "insert", "notification_deliveries"],
])("loses and repeats nothing when it is killed while %s", async (_step, operation, table) => {
  await addRule(owner, receiver, { eventType: "API_KEY_CREATED" });
  await newKey("Interrupted");
  const name = `interrupt_${table}`;
  await server.query(
    `create function ${name}() returns trigger language plpgsql as
       $$ begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$`,
  );
  await server.query(`create trigger ${name} after ${operation} on ${table} execute function ${name}()`);
  await runNotifications(server);
  await server.query(`drop function ${name} cascade`);
  expect([await deliveries(), receiver.requests]).toEqual([[], []]);
  await runNotifications(server);
  await runNotifications(server);
  expect(await deliveries()).toMatchObject([{ state: "DELIVERED" }]);
  expect(receiver.requests).toHaveLength(1);
  expect(await events()).toEqual([]);
});

it("sends each message once when several servers work at the same time", async () => {
  const others = await Promise.all(
    [1, 2].map(() =>
      startTestServer({ environment: { ...WEBHOOK_ENVIRONMENT, SECRET_KEY }, database: server.database }),
    ),
  );
  try {
    // Servers share the time of the database.
    const behindMs = () => server.ctx.clock().getTime() - Date.now();
    for (const other of others) other.advance(behindMs());
    await addRule(owner, receiver, { eventType: "API_KEY_CREATED" });
    for (let round = 0; round < 5; round++) {
      await newKey(`Key ${round}`);
      await runNotifications(server, ...others);
    }
    await runNotifications(server, ...others);
    expect(new Set(receivedIDs()).size).toBe(receiver.requests.length);
    const counts = receiver.requests.map(
      ({ body }) => (JSON.parse(body) as { data: { count: number } }).data.count,
    );
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(5);
  } finally {
    for (const other of others) await other.close();
  }
});
