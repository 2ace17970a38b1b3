/** Screens of notifications: rules, channels, deliveries and secrets. */
import {
  createNotificationChannel,
  createNotificationRule,
  createTag,
  type DataOf,
  listNotificationDeliveries,
  testNotificationChannel,
} from "@lightkeeper/contract";
import { startWebhookReceiver, type WebhookReceiver } from "@lightkeeper/server/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, inject } from "vitest";
import { type Account, createAccount } from "./account.ts";
import { useBrowser, type Visitor } from "./browser.ts";
import { openPage } from "./open-page.ts";
import { atAddress, describeScreens, EXTREMES, type Screen } from "./screens.ts";
import { button, checkbox, expectText, field, heading, pick } from "./steps.ts";
import { until } from "./until.ts";

type Channel = DataOf<typeof createNotificationChannel>;

const visit = useBrowser();
const server = inject("server");
const NOTIFICATIONS = "/settings/notifications";
let receiver: WebhookReceiver;
let account: Account;
let webhook: Channel;
let failing: Channel;
let ruleID: string;
let owner: Visitor;
let newcomer: Visitor;

/** Sends a test message, and waits for the receiver's response to the first attempt. */
async function sendTest(channel: Channel): Promise<void> {
  const params = { channelID: channel.id };
  await account.call(testNotificationChannel, { params });
  await until("the receiver has responded", async () => {
    const { data } = await account.call(listNotificationDeliveries, { params });
    return data.every(({ status }) => status !== null);
  });
}

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  account = await createAccount(server);
  const { call } = account;
  const add = (name: string) =>
    call(createNotificationChannel, { body: { type: "WEBHOOK", name, url: receiver.url } });
  webhook = await add("#ops-alerts");
  failing = await add("pager".repeat(10));
  await call(createTag, { body: { name: "env:production", description: "" } });
  const rule = await call(createNotificationRule, {
    body: {
      eventType: "HOST_OFFLINE",
      thresholdMinutes: 5,
      tags: ["env:production"],
      channelIDs: [webhook.id, failing.id],
      digest: "DAILY",
      quietHours: { start: "22:00", end: "07:00" },
      timeZone: "Europe/Berlin",
    },
  });
  ruleID = rule.id;
  receiver.respondWith(200, "accepted");
  await sendTest(webhook);
  receiver.respondWith(500, "out of order ".repeat(100));
  await sendTest(failing);
  owner = await visit({ account });
  newcomer = await visit({ account: await createAccount(server) });
});
afterAll(() => receiver.close());

const channelPath = ({ id }: Channel) => `${NOTIFICATIONS}/channels/${id}`;

async function openOwners(path: string, title: string | RegExp): Promise<Page> {
  const { page } = owner;
  await openPage(page, path);
  await heading(page, title).waitFor();
  return page;
}

const openChannel = async (channel: Channel) => openOwners(channelPath(channel), channel.name);

async function fillInWebhook(page: Page, name: string): Promise<void> {
  await page.getByRole("radio", { name: "Webhook" }).check();
  await field(page, "Name").fill(name);
  await field(page, "URL").fill(receiver.url);
}

const lists: Screen[] = [
  atAddress("notifications", () => owner, NOTIFICATIONS, "Notifications"),
  { ...atAddress("notifications-empty", () => newcomer, NOTIFICATIONS, "Notifications"), widths: EXTREMES },
];

const rules: Screen[] = [
  {
    name: "notification-rule-add",
    open: async () => {
      const page = await openOwners(`${NOTIFICATIONS}/rules/add`, "Add notification rule");
      await page.getByLabel("Minutes").fill("1");
      await page.getByLabel("Send").selectOption({ label: "As a daily digest at 08:00" });
      await checkbox(page, "Quiet hours").check();
      await button(page, "Add rule").click();
      await expectText(page, "Choose 1 to 10 channels.");
      return page;
    },
  },
  {
    name: "notification-rule-channels",
    widths: EXTREMES,
    open: async () => {
      const page = await openOwners(`${NOTIFICATIONS}/rules/add`, "Add notification rule");
      await pick(page, "Channels", webhook.name);
      await expectText(page, `When a host is offline for 5 minutes, notify ${webhook.name}.`);
      return page;
    },
  },
  atAddress(
    "notification-rule-edit",
    () => owner,
    () => `${NOTIFICATIONS}/rules/${ruleID}`,
    "Edit notification rule",
  ),
  {
    name: "notification-rule-delete",
    widths: EXTREMES,
    open: async () => {
      const page = await openOwners(`${NOTIFICATIONS}/rules/${ruleID}`, "Edit notification rule");
      await button(page, "Delete rule…").click();
      await page.getByRole("alertdialog", { name: "Delete notification rule?" }).waitFor();
      return page;
    },
  },
];

const channels: Screen[] = [
  {
    name: "notification-channel-add",
    open: async () => {
      const page = await openOwners(`${NOTIFICATIONS}/channels/add`, "Add notification channel");
      await button(page, "Add channel").click();
      await expectText(page, "Enter an email address.");
      return page;
    },
  },
  {
    name: "notification-secret",
    open: async () => {
      const page = await openOwners(`${NOTIFICATIONS}/channels/add`, "Add notification channel");
      await fillInWebhook(page, "Billing");
      await button(page, "Add channel").click();
      await heading(page, "Channel added").waitFor();
      return page;
    },
  },
  {
    name: "notification-channel",
    open: async () => {
      const page = await openChannel(webhook);
      await button(page, "Test notification from Lightkeeper").waitFor();
      return page;
    },
  },
  {
    name: "notification-channel-failing",
    open: async () => {
      const page = await openChannel(failing);
      await button(page, "Send test message").click();
      await page.getByText(/The server tries again automatically/).waitFor();
      return page;
    },
  },
  {
    name: "notification-channel-delete",
    widths: EXTREMES,
    open: async () => {
      const page = await openChannel(failing);
      await button(page, "Delete channel…").click();
      await page.getByRole("alertdialog", { name: `Delete channel ${failing.name}?` }).waitFor();
      return page;
    },
  },
];

const dialogs: Screen[] = [
  ...([() => webhook, () => failing] as const).map((channel, index): Screen => ({
    name: index === 0 ? "notification-delivery" : "notification-delivery-failed",
    open: async () => {
      const page = await openChannel(channel());
      await button(page, "Test notification from Lightkeeper").first().click();
      await page.getByRole("region", { name: "Request headers" }).waitFor();
      return page;
    },
  })),
  {
    name: "notification-secret-rotate",
    widths: EXTREMES,
    open: async () => {
      const page = await openChannel(failing);
      await button(page, "Rotate secret…").click();
      await page.getByRole("alertdialog", { name: /^Rotate the secret of/ }).waitFor();
      return page;
    },
  },
  {
    name: "notification-secret-rotated",
    open: async () => {
      const page = await openChannel(failing);
      await button(page, "Rotate secret…").click();
      await button(page, "Rotate secret").click();
      await page.getByRole("alertdialog", { name: "New signing secret" }).waitFor();
      return page;
    },
  },
];

describeScreens([...lists, ...rules, ...channels, ...dialogs]);
