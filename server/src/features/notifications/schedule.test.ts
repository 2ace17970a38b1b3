import { createApiKey, type NotificationRule } from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  addRule,
  messagesOf,
  runNotifications,
  WEBHOOK_ENVIRONMENT,
} from "../../testing/notifications-fixture.ts";
import { renew, type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../../testing/webhook-receiver.ts";
import { dueAt } from "./schedule.ts";

const daily = (at: string, timeZone: string) =>
  dueAt({ digest: "DAILY", quiet_hours: null, time_zone: timeZone }, new Date(at)).getTime();

describe("a daily digest is due at 08:00 by the clocks of its time zone", () => {
  it.each([
    ["Europe/Berlin", "2026-03-28T07:59:30+01:00", "2026-03-28T08:00+01:00"],
    ["Europe/Berlin", "2026-03-28T08:00:00+01:00", "2026-03-29T08:00+02:00"],
    ["Europe/Berlin", "2026-03-29T01:59:59+01:00", "2026-03-29T08:00+02:00"],
    ["Europe/Berlin", "2026-03-29T03:00:00+02:00", "2026-03-29T08:00+02:00"],
    ["America/New_York", "2026-03-07T20:00:00-05:00", "2026-03-08T08:00-04:00"],
    ["Australia/Lord_Howe", "2026-10-03T20:00:00+10:30", "2026-10-04T08:00+11:00"],
  ])("when clocks go forward: %s, after %s", (timeZone, at, due) => {
    expect(daily(at, timeZone)).toBe(Date.parse(due));
  });

  it.each([
    ["Europe/Berlin", "2026-10-24T08:00:00+02:00", "2026-10-25T08:00+01:00"],
    ["Europe/Berlin", "2026-10-25T02:30:00+02:00", "2026-10-25T08:00+01:00"],
    ["Europe/Berlin", "2026-10-25T02:30:00+01:00", "2026-10-25T08:00+01:00"],
    ["Europe/Berlin", "2026-10-25T08:00:00+01:00", "2026-10-26T08:00+01:00"],
    ["America/New_York", "2026-10-31T20:00:00-04:00", "2026-11-01T08:00-05:00"],
    ["Australia/Lord_Howe", "2026-04-04T20:00:00+11:00", "2026-04-05T08:00+10:30"],
  ])("when clocks go back: %s, after %s", (timeZone, at, due) => {
    expect(daily(at, timeZone)).toBe(Date.parse(due));
  });
});

describe("quiet hours end", () => {
  const endOf = (at: string, quiet: NotificationRule["quietHours"], timeZone: string) =>
    dueAt({ digest: "NONE", quiet_hours: quiet, time_zone: timeZone }, new Date(at)).getTime();

  it.each([
    ["Europe/Berlin", "02:30", "2026-03-28T23:00:00+01:00", "2026-03-29T03:00+02:00"],
    ["Europe/Berlin", "02:30", "2026-03-29T01:50:00+01:00", "2026-03-29T03:00+02:00"],
    ["Asia/Beirut", "00:30", "2026-03-28T23:50:00+02:00", "2026-03-29T01:00+03:00"],
  ])("when clocks go forward, if they skip the end: %s, %s, after %s", (timeZone, end, at, due) => {
    expect(endOf(at, { start: "22:00", end }, timeZone)).toBe(Date.parse(due));
  });

  it.each([
    ["2026-10-25T02:10:00+02:00", "2026-10-25T02:30+02:00"],
    ["2026-10-25T02:10:00+01:00", "2026-10-25T02:30+01:00"],
  ])("each time that clocks show the end, if they go back: after %s", (at, due) => {
    expect(endOf(at, { start: "22:00", end: "02:30" }, "Europe/Berlin")).toBe(Date.parse(due));
  });
});

describe("the events of a night in which clocks change", () => {
  let server: TestServer;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    server = await startTestServer({ frozen: true, environment: WEBHOOK_ENVIRONMENT });
    receiver = await startWebhookReceiver();
  });
  afterAll(async () => {
    await server.close();
    await receiver.close();
  });

  const moveTo = (at: string) => server.advance(Date.parse(at) - server.ctx.clock().getTime());
  const newKey = ({ call }: Session, name: string) =>
    call(createApiKey, { body: { name, scopes: ["networks:list"] } });
  const titles = () => messagesOf(receiver).map(({ data }) => data.title);

  it.each([
    [
      "forward",
      ["2026-03-28T20:00+01:00", "2026-03-29T03:30+02:00"],
      "2026-03-29T07:59+02:00",
      "2026-03-29T08:00+02:00",
    ],
    [
      "back",
      ["2026-10-24T20:00+02:00", "2026-10-25T02:30+01:00"],
      "2026-10-25T07:59+01:00",
      "2026-10-25T08:00+01:00",
    ],
  ])("%s are sent together at 08:00, once", async (_direction, [evening = "", night = ""], before, due) => {
    receiver.requests.length = 0;
    moveTo(evening);
    const owner = await server.signUp();
    await addRule(owner, receiver, {
      eventType: "API_KEY_CREATED",
      digest: "DAILY",
      timeZone: "Europe/Berlin",
    });
    await newKey(owner, "Evening");
    await runNotifications(server);
    moveTo(night);
    await newKey(await renew(server, owner), "Night");
    await runNotifications(server);
    moveTo(before);
    await runNotifications(server);
    expect(titles()).toEqual([]);
    moveTo(due);
    await runNotifications(server);
    await runNotifications(server);
    expect(titles()).toEqual(["2 new API keys"]);
  });
});
