/** Notifications with a real receiver: a webhook channel with its secret, a rule, and the delivery log. */
import { createHostV2, createNetwork, createTag } from "@lightkeeper/contract";
import { isSignedWith, startWebhookReceiver, type WebhookReceiver } from "@lightkeeper/server/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { type Account, createAccount } from "./account.ts";
import { useBrowser } from "./browser.ts";
import { button, expectPath, expectText, expectTitle, field, heading, link, PATIENT, pick } from "./steps.ts";
import { describeStory } from "./story.ts";

const visit = useBrowser();
const server = inject("server");
const TEST_TITLE = "Test notification from Lightkeeper";
const SENTENCE = "When a host with tag env:production is blocked, notify #ops-alerts.";
let receiver: WebhookReceiver;
let account: Account;
let page: Page;
let channelPath: string;
const secrets: string[] = [];

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  receiver.respondWith(200, "accepted");
  account = await createAccount(server);
  await account.call(createTag, { body: { name: "env:production" } });
  ({ page } = await visit({ account }));
});
afterAll(() => receiver.close());

const lastRequest = () => receiver.requests.at(-1)!;
const requestIDs = () => receiver.requests.map(({ headers }) => headers["webhook-id"]);
const signers = () => secrets.map((secret) => isSignedWith(secret, lastRequest()));
const delivery = (title: string) =>
  page.getByRole("table", { name: "Deliveries" }).getByRole("row").filter({ hasText: title });

/** Reads the secret from the screen, and confirms that it is saved. */
async function saveSecret(): Promise<void> {
  secrets.push(await page.getByText(/^whsec_/).innerText());
  await button(page, "I’ve saved it").click();
}

async function sendTest(): Promise<void> {
  const count = receiver.requests.length;
  await button(page, "Send test message").click();
  await expect.poll(() => receiver.requests.length, PATIENT).toBe(count + 1);
  await expectText(page, "Delivered. The receiver responded with status 200.");
}

/** Blocks a new host in another tab. */
async function blockHost(name: string, networkID: string, tags: string[]): Promise<void> {
  const { id } = await account.call(createHostV2, { body: { name, networkID, tags } });
  const { page: tab } = await visit({ account });
  await tab.goto(`/hosts/${id}/block`);
  const dialog = tab.getByRole("alertdialog", { name: `Block host ${name}?` });
  await field(dialog, `Type ${name} to confirm`).fill(name);
  await button(dialog, "Block").click();
  await expectText(tab, "Blocked");
  await tab.close();
}

describeStory("a webhook", () => {
  it("is added in a tab of the organization, and its secret is shown once", async () => {
    await page.goto("/settings/organization");
    await link(page, "Notifications").click();
    await expectTitle(page, "Notifications");
    await link(page, "Add channel").click();
    await expectTitle(page, "Add notification channel");
    await page.getByRole("radio", { name: "Webhook" }).check();
    await field(page, "Name").fill("#ops-alerts");
    await field(page, "URL").fill(receiver.url);
    await button(page, "Add channel").click();
    await heading(page, "Channel added").waitFor();
    await link(page, "Notifications").first().click();
    await button(page.getByRole("alertdialog", { name: "Leave without the secret?" }), "Cancel").click();
    await saveSecret();
    await heading(page, "#ops-alerts").waitFor();
    channelPath = new URL(page.url()).pathname;
    await page.reload();
    await expectText(page, "Not used yet");
    expect(await page.getByText(/whsec_/).count()).toBe(0);
  });

  it("gets a test message, which is signed with its secret", async () => {
    await sendTest();
    expect(signers()).toEqual([true]);
    expect(isSignedWith(`whsec_${"A".repeat(44)}`, lastRequest())).toBe(false);
    expect(JSON.parse(lastRequest().body)).toMatchObject({ type: "TEST", data: { title: TEST_TITLE } });
    await delivery(TEST_TITLE).getByText("Delivered (200)").waitFor();
    await expectText(page, "Working");
  });

  it("is notified by a rule, which is a sentence", async () => {
    await link(page, "Notifications").first().click();
    await link(page, "Add rule").click();
    await expectTitle(page, "Add notification rule");
    await page.getByLabel("Event").selectOption({ label: "A host is blocked" });
    await pick(page, "Tags", "env:production");
    await pick(page, "Channels", "#ops-alerts");
    await expectText(page, SENTENCE);
    await button(page, "Add rule").click();
    await expectText(page, "Notification rule added");
    await expectPath(page, "/settings/notifications");
    await link(page, SENTENCE).waitFor();
  });

  it("gets a message about a blocked host with the tag, which the open log shows with request and response", async () => {
    await link(page, "#ops-alerts").click();
    await heading(page, "#ops-alerts").waitFor();
    const { id: networkID } = await account.call(createNetwork, { body: { name: "Harbour" } });
    await blockHost("db-1", networkID, []);
    await blockHost("web-1", networkID, ["env:production"]);
    await delivery("web-1 was blocked").getByText("Delivered (200)").waitFor();
    expect(await delivery("was blocked").count()).toBe(1);
    expect(signers()).toEqual([true]);
    await button(page, "web-1 was blocked").click();
    const dialog = page.getByRole("dialog", { name: "web-1 was blocked" });
    const block = (name: string) => dialog.getByRole("region", { name }).innerText();
    await dialog.getByRole("region", { name: "Request headers" }).waitFor();
    expect(await block("Request headers")).toContain(
      `webhook-signature: ${String(lastRequest().headers["webhook-signature"])}`,
    );
    expect(JSON.parse(await block("Request body"))).toEqual(JSON.parse(lastRequest().body));
    expect(await block("Response (200)")).toBe("accepted");
  });

  it("gets the message again, with the same ID", async () => {
    const dialog = page.getByRole("dialog", { name: "web-1 was blocked" });
    receiver.respondWith(202, "seen before");
    await button(dialog, "Resend").click();
    await expectText(page, "Sending the message again");
    await dialog.getByText("seen before").waitFor();
    const [, first, second, ...more] = requestIDs();
    expect([second, more]).toEqual([first, []]);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await delivery("web-1 was blocked").getByText("Delivered (202)").waitFor();
  });

  it("gets messages with two signatures after its secret is rotated", async () => {
    receiver.respondWith(200);
    await button(page, "Rotate secret…").click();
    await button(page.getByRole("alertdialog", { name: /^Rotate the secret/ }), "Rotate secret").click();
    const dialog = page.getByRole("alertdialog", { name: "New signing secret" });
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await button(page.getByRole("alertdialog", { name: "Leave without the secret?" }), "Cancel").click();
    await saveSecret();
    await dialog.waitFor({ state: "detached" });
    await page.getByText(/^Also signs until/).waitFor();
    expect(secrets[1]).not.toBe(secrets[0]);
    await sendTest();
    expect(signers()).toEqual([true, true]);
  });

  it("is deleted, and its rule notifies nobody until that is deleted too", async () => {
    await button(page, "Delete channel…").click();
    const dialog = page.getByRole("alertdialog", { name: "Delete channel #ops-alerts?" });
    await dialog.getByText(/^1 rule stops notifying this channel\./).waitFor();
    await button(dialog, "Delete channel").click();
    await expectText(page, "Channel #ops-alerts deleted");
    await expectPath(page, "/settings/notifications");
    await expectText(page, "No channels yet");
    await expectText(page, "No channel");
    await link(page, SENTENCE.replace("#ops-alerts", "nobody")).click();
    await button(page, "Delete rule…").click();
    await button(page.getByRole("alertdialog"), "Delete rule").click();
    await expectText(page, "No rules yet");
    await page.goto(channelPath);
    await heading(page, "Nothing here (404)").waitFor();
  });
});
