import {
  blockHostV2,
  createApiKey,
  createGuarantee,
  createNotificationRule,
  createTag,
  inviteMember,
  logInWithTotp,
  type NotificationEventType,
  sendMagicLink,
  suspendGuarantee,
  updateRole,
  verifyMagicLink,
} from "@lightkeeper/contract";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { allowTcp, createDatabaseFleet } from "../../testing/database-fleet.ts";
import { createFleet } from "../../testing/fleet.ts";
import { joinAs } from "../../testing/members.ts";
import {
  addRule,
  messagesOf,
  runNotifications,
  WEBHOOK_ENVIRONMENT,
} from "../../testing/notifications-fixture.ts";
import { errorCodesOf } from "../../testing/request-errors.ts";
import { HOUR_MS, MINUTE_MS, type Session, startTestServer, type TestServer } from "../../testing/server.ts";
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
});
afterEach(async () => {
  await server.query("delete from notification_rules");
  await receiver.close();
});

const watch = (eventType: NotificationEventType, more: { tags?: string[] } = {}) =>
  addRule(owner, receiver, { eventType, ...more });
const run = () => runNotifications(server);
const texts = () => messagesOf(receiver).flatMap(({ data }) => data.items.map(({ text }) => text));
const newKey = (name: string) =>
  owner.call(createApiKey, { body: { name, scopes: ["networks:list" as const] } });

it("notifies of an API key once, with its name, its creator and a link", async () => {
  await newKey("Before the rule");
  await run();
  await watch("API_KEY_CREATED");
  const key = await newKey("Terraform");
  await run();
  await run();
  expect(texts()).toEqual([`The API key “Terraform” was created by ${owner.email}.`]);
  expect(messagesOf(receiver)[0]).toMatchObject({
    type: "API_KEY_CREATED",
    data: { title: "New API key: Terraform", items: [{ url: expect.stringContaining(key.id) }] },
  });
});

it("notifies of a member who joins, not of the invitation", async () => {
  await watch("MEMBER_ADDED");
  await owner.call(inviteMember, { body: { email: "slow@example.com", role: "auditor" } });
  await run();
  expect(texts()).toEqual([]);
  const { email } = await joinAs(server, owner, "administrator");
  await run();
  expect(texts()).toEqual([`${email} joined as administrator.`]);
});

it("notifies of blocked hosts that match, in one message", async () => {
  const fleet = await createFleet(server, owner);
  await owner.call(createTag, { body: { name: "env:prod" } });
  await watch("HOST_BLOCKED", { tags: ["env:prod"] });
  for (const [name, tags] of [
    ["a", ["env:prod"]],
    ["b", ["env:prod"]],
    ["other", []],
  ] as const) {
    const { id } = await fleet.add({ name, tags: [...tags] });
    await owner.call(blockHostV2, { params: { hostID: id } });
  }
  await run();
  expect(messagesOf(receiver).map(({ data }) => data.title)).toEqual(["2 hosts were blocked"]);
  expect(texts()[0]).toMatch(new RegExp(`^a \\(Fleet \\d+\\) was blocked by ${owner.email}\\.$`));
});

it("notifies of a login from a new browser only", async () => {
  const logIn = async () => {
    await server.client()(sendMagicLink, { body: { email: owner.email } });
    const body = { magicLinkToken: await server.linkToken(owner.email) };
    const { sessionToken } = await server.client()(verifyMagicLink, { body });
    server.advance(MINUTE_MS);
    await server.client(sessionToken)(logInWithTotp, { body: { code: server.code(owner.totpSecret) } });
  };
  await watch("NEW_LOGIN_LOCATION");
  await logIn();
  await run();
  expect(texts()).toEqual([]);
  await server.query("update known_browsers set browser = 'Another browser'");
  await logIn();
  await run();
  expect(texts()).toEqual([expect.stringContaining(`${owner.email} logged in from a browser or network`)]);
});

it("notifies of a change that a guarantee rejects, and of a guarantee that starts to fail", async () => {
  const fleet = await createDatabaseFleet(server, owner);
  await watch("GUARANTEE_REFUSED");
  await watch("GUARANTEE_FAILING");
  const guarantee = await owner.call(createGuarantee, {
    body: {
      type: "MUST_NEVER_REACH",
      source: { type: "host", id: fleet.laptopID },
      destination: { type: "role", id: fleet.database.id },
      protocol: "ANY",
      description: "No laptops",
    },
  });
  const open = () =>
    owner.call(updateRole, {
      params: { roleID: fleet.database.id },
      body: { firewallRules: [allowTcp(22)] },
    });
  expect(await errorCodesOf(open())).toEqual(["ERR_GUARANTEE_VIOLATED"]);
  await run();
  const until = new Date(server.ctx.clock().getTime() + HOUR_MS).toISOString();
  await owner.call(suspendGuarantee, {
    params: { guaranteeID: guarantee.id },
    body: { reason: "Migration", until },
  });
  await open();
  await server.app.guaranteeMonitor.drain();
  await run();
  expect(texts()).toEqual([
    `A change by ${owner.email} was rejected because it breaks the guarantee “No laptops”.`,
    "The guarantee “No laptops” is failing.",
  ]);
});

it("sends to several channels, and nothing to other organizations", async () => {
  const other = await server.signUp();
  await addRule(other, receiver, { eventType: "API_KEY_CREATED" });
  const { channelID } = await watch("API_KEY_CREATED");
  const second = await watch("MEMBER_ADDED");
  await owner.call(createNotificationRule, {
    body: { eventType: "API_KEY_CREATED", channelIDs: [channelID, second.channelID] },
  });
  await newKey("Shared");
  await run();
  expect(messagesOf(receiver).map(({ data }) => data.title)).toEqual(Array(3).fill("New API key: Shared"));
});
