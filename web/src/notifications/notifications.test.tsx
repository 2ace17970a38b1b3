import {
  createNotificationChannel,
  createNotificationRule,
  getNotificationChannel,
  getNotificationDelivery,
  listNotificationChannels,
  listNotificationDeliveries,
  listNotificationRules,
  listRoles,
  type NotificationChannel,
  type NotificationDelivery,
  type NotificationRule,
  resendNotificationDelivery,
  testNotificationChannel,
} from "@lightkeeper/contract";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { renderPage, signIn } from "../testing/render.tsx";
import { role } from "../testing/samples.ts";
import { failure, page, transport } from "../testing/transport.ts";
import { ReadOnly } from "../ui/base/read-only.ts";
import { ChannelAddPage } from "./channel-add-page.tsx";
import { ChannelPage } from "./channel-page.tsx";
import { NotificationsPage } from "./notifications-page.tsx";
import { RuleAddPage } from "./rule-add-page.tsx";
import { describeSchedule, ruleSentence } from "./rule-sentence.ts";

vi.setConfig({ testTimeout: 60_000 });
beforeEach(signIn);

const AT = "2026-11-10T12:00:00.000Z";
const channel: NotificationChannel = {
  id: `channel-${"A".repeat(26)}`,
  type: "WEBHOOK",
  name: "#ops-alerts",
  isEnabled: true,
  addresses: [],
  url: "https://hooks.example.com/in",
  previousSecretExpiresAt: null,
  failingSince: null,
  lastDelivery: null,
  auditCursor: null,
  createdAt: AT,
  modifiedAt: AT,
};
const rule: NotificationRule = {
  id: `rule-${"A".repeat(26)}`,
  eventType: "HOST_OFFLINE",
  isEnabled: true,
  tags: ["env:production"],
  roleIDs: [],
  thresholdMinutes: 5,
  days: null,
  channelIDs: [channel.id],
  quietHours: null,
  digest: "NONE",
  timeZone: "UTC",
  createdAt: AT,
  modifiedAt: AT,
};
const delivery: NotificationDelivery = {
  id: `delivery-${"A".repeat(26)}`,
  channelID: channel.id,
  ruleID: null,
  type: "TEST",
  title: "Test notification from Lightkeeper",
  state: "PENDING",
  attempts: 1,
  createdAt: AT,
  nextAttemptAt: AT,
  finishedAt: null,
  status: 500,
};
const SENTENCE = "When a host with tag env:production is offline for 5 minutes, notify #ops-alerts.";

const serve = ({ rules = [rule], channels = [channel] } = {}) =>
  transport()
    .on(listRoles, () => page([role]))
    .on(listNotificationRules, () => page(rules))
    .on(listNotificationChannels, () => page(channels))
    .on(getNotificationChannel, () => channels[0] ?? channel)
    .on(listNotificationDeliveries, () => page([delivery]))
    .on(getNotificationDelivery, () => ({
      ...delivery,
      request: { headers: { "webhook-id": delivery.id }, body: '{"type":"TEST"}' },
      response: { status: 500, body: "out of order", error: "The receiver responded with status 500." },
    }));

const open = (element: React.ReactElement, path = "/settings/notifications") =>
  renderPage(element, { route: path, at: path });
const openChannel = () =>
  renderPage(<ChannelPage />, {
    route: "/settings/notifications/channels/:channelID",
    at: `/settings/notifications/channels/${channel.id}`,
  });

it("describes rules as sentences", () => {
  const names = {
    roles: new Map([["r", "Web"]]),
    channels: new Map([
      ["c", "#ops"],
      ["d", "on-call"],
    ]),
  };
  const of = (changes: Partial<NotificationRule>) => ruleSentence({ ...rule, tags: [], ...changes }, names);
  expect(of({ roleIDs: ["r"], tags: ["a:1", "b:2"], channelIDs: ["c", "d"] })).toBe(
    "When a host with role Web and tags a:1 and b:2 is offline for 5 minutes, notify #ops and on-call.",
  );
  expect(of({ eventType: "CA_EXPIRING", days: 1, channelIDs: [] })).toBe(
    "When a CA expires within 1 day, notify nobody.",
  );
  expect(of({ roleIDs: ["gone"], channelIDs: ["gone"] })).toContain("(deleted role)");
  const quietHours = { start: "22:00", end: "07:00" };
  expect(describeSchedule({ ...rule, digest: "DAILY", quietHours })).toBe(
    "Daily digest at 08:00 · Quiet from 22:00 to 07:00 · UTC",
  );
});

it("lists rules as sentences, and channels with their state", async () => {
  serve({ channels: [{ ...channel, failingSince: AT }] });
  open(<NotificationsPage />);
  expect((await screen.findByRole("link", { name: SENTENCE })).getAttribute("href")).toBe(
    `/settings/notifications/rules/${rule.id}`,
  );
  expect(screen.getByText("Failing")).toBeDefined();
  expect(screen.getByText("Webhook · https://hooks.example.com/in")).toBeDefined();
});

it("explains what to do first when there is nothing", async () => {
  serve({ rules: [], channels: [] });
  open(<NotificationsPage />);
  expect(await screen.findByText(/^Add a channel first\./)).toBeDefined();
  expect(screen.getAllByRole("link", { name: "Add channel" })).toHaveLength(1);
  expect(screen.queryByRole("link", { name: "Add rule" })).toBeNull();
});

it("shows why a list can't be loaded", async () => {
  serve().on(listNotificationRules, () => {
    throw failure("ERR_UNAVAILABLE");
  });
  open(<NotificationsPage />);
  expect(await screen.findByRole("button", { name: /try again|retry/i }, { timeout: 20_000 })).toBeDefined();
});

it("adds a rule with only the fields of its event", async () => {
  const bodies: unknown[] = [];
  serve().on(createNotificationRule, ({ body }) => {
    bodies.push(body);
    return rule;
  });
  open(<RuleAddPage />);
  fireEvent.change(await screen.findByLabelText("Event"), { target: { value: "CA_EXPIRING" } });
  expect(screen.queryByLabelText("Minutes")).toBeNull();
  fireEvent.change(screen.getByLabelText("Days before the expiry"), { target: { value: "0" } });
  fireEvent.click(screen.getByRole("button", { name: "Add rule" }));
  expect(await screen.findByText("Enter a whole number from 1 to 365.")).toBeDefined();
  expect(screen.getByText("Choose 1 to 10 channels.")).toBeDefined();
  fireEvent.change(screen.getByLabelText("Days before the expiry"), { target: { value: "30" } });
  const picker = screen.getByRole("combobox", { name: "Channels" });
  fireEvent.focus(picker);
  fireEvent.change(picker, { target: { value: "ops" } });
  fireEvent.click(await screen.findByRole("option", { name: /#ops-alerts/ }));
  expect(await screen.findByText("When a CA expires within 30 days, notify #ops-alerts.")).toBeDefined();
  fireEvent.click(screen.getByRole("button", { name: "Add rule" }));
  await waitFor(() => expect(bodies).toHaveLength(1));
  expect(bodies[0]).toMatchObject({
    eventType: "CA_EXPIRING",
    days: 30,
    thresholdMinutes: null,
    channelIDs: [channel.id],
    quietHours: null,
  });
});

it("shows the secret of a new webhook once", async () => {
  serve().on(createNotificationChannel, () => ({ ...channel, secret: "whsec_c2VjcmV0" }));
  open(<ChannelAddPage />);
  fireEvent.click(await screen.findByRole("radio", { name: "Webhook" }));
  fireEvent.change(screen.getByLabelText("Name"), { target: { value: "#ops-alerts" } });
  fireEvent.change(screen.getByLabelText("URL"), { target: { value: "not a URL" } });
  fireEvent.click(screen.getByRole("button", { name: "Add channel" }));
  expect(await screen.findByText("Enter a URL that starts with https://.")).toBeDefined();
  fireEvent.change(screen.getByLabelText("URL"), { target: { value: channel.url } });
  fireEvent.click(screen.getByRole("button", { name: "Add channel" }));
  expect(await screen.findByText("whsec_c2VjcmV0")).toBeDefined();
  expect(screen.getByRole("button", { name: "I’ve saved it" })).toBeDefined();
});

it("sends a test message and shows the result", async () => {
  serve().on(testNotificationChannel, () => ({ ...delivery, attempts: 0, status: null }));
  openChannel();
  fireEvent.click(await screen.findByRole("button", { name: "Send test message" }));
  expect(
    await screen.findByText(/The receiver responded with status 500\. The server tries again/),
  ).toBeDefined();
});

it("shows the request and the response of a delivery, and sends it again", async () => {
  const resent: unknown[] = [];
  serve().on(resendNotificationDelivery, ({ params }) => {
    resent.push(params);
    return delivery;
  });
  openChannel();
  fireEvent.click(await screen.findByRole("button", { name: delivery.title }));
  expect(await screen.findByText(`webhook-id: ${delivery.id}`)).toBeDefined();
  expect(screen.getByText("out of order")).toBeDefined();
  fireEvent.click(screen.getByRole("button", { name: "Resend" }));
  await waitFor(() => expect(resent).toEqual([{ deliveryID: delivery.id }]));
});

it("offers nothing that auditors can't do", async () => {
  serve();
  renderPage(
    <ReadOnly value>
      <ChannelPage />
    </ReadOnly>,
    {
      route: "/settings/notifications/channels/:channelID",
      at: `/settings/notifications/channels/${channel.id}`,
    },
  );
  expect(await screen.findByText("You have read-only access to this notification channel.")).toBeDefined();
  for (const name of ["Send test message", "Rotate secret…", "Delete channel…", "Save"])
    expect(screen.queryByRole("button", { name })).toBeNull();
});
