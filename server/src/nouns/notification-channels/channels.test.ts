import {
  createNotificationChannel,
  createNotificationRule,
  deleteNotificationChannel,
  getNotificationChannel,
  getNotificationRule,
  listAuditLogs,
  listNotificationChannels,
  NotFoundError,
  rotateNotificationSecret,
  updateNotificationChannel,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { joinAs } from "../../testing/members.ts";
import { errorCodesOf, errorsOf } from "../../testing/request-errors.ts";
import { HOUR_MS, type Session, startTestServer, type TestServer } from "../../testing/server.ts";

let server: TestServer;
let owner: Session;
beforeAll(async () => {
  server = await startTestServer({ environment: { WEBHOOK_ALLOWED_HOSTS: "hooks.internal" } });
});
beforeAll(async () => {
  owner = await server.signUp();
});
afterAll(() => server.close());

const SLACK_URL = "https://hooks.slack.example/services/T000/B000/token";
const create = (body: object, by = owner) =>
  by.call(createNotificationChannel, { body: { type: "WEBHOOK", name: "Incidents", ...body } as never });
const createWebhook = () => create({ url: "https://hooks.example.com/in" });
const read = (id: string, by = owner) => by.call(getNotificationChannel, { params: { channelID: id } });

describe("creating a channel", () => {
  it("returns a secret once for signed types, and stores it encrypted", async () => {
    const { secret, ...channel } = await createWebhook();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await read(channel.id)).toEqual(channel);
    expect((await owner.call(listNotificationChannels)).data).toContainEqual(channel);
    const logs = await owner.call(listAuditLogs, { query: { "filter.targetID": channel.id } });
    expect(logs.data[0]).toMatchObject({
      event: { type: "CREATED", after: { name: "Incidents", url: "https://hooks.example.com/in" } },
      targetName: "Incidents",
    });
    const stored = JSON.stringify([
      await server.query(
        "select encode(secret, 'escape') as a, encode(url, 'escape') as b from notification_channels",
      ),
      logs,
    ]);
    expect(stored).not.toContain(secret?.slice(6));
    const mail = await create({ type: "EMAIL", addresses: ["Ops@Example.com", "ops@example.com"] });
    expect(mail).toMatchObject({ secret: null, url: null, addresses: ["ops@example.com"] });
    expect(await create({ type: "AUDIT_STREAM", url: "https://siem.example.com" })).toMatchObject({
      secret: expect.any(String),
      auditCursor: expect.any(Number),
    });
  });

  it("shows only the start of a Slack or Teams URL, which keeps it when it is sent back", async () => {
    const { id, secret, ...rest } = await create({ type: "SLACK", url: SLACK_URL });
    expect([secret, rest.url]).toEqual([null, "https://hooks.slack.example/…"]);
    const params = { channelID: id };
    const body = { ...rest, name: "Renamed" };
    await owner.call(updateNotificationChannel, { params, body });
    const [row] = await server.query<{ url: Buffer }>("select url from notification_channels where id = $1", [
      id,
    ]);
    const location = { table: "notification_channels", column: "url", id };
    expect(server.ctx.secrets.open(row?.url ?? Buffer.alloc(0), location).toString()).toBe(SLACK_URL);
    const logs = await owner.call(listAuditLogs, { query: { "filter.targetID": id } });
    expect(JSON.stringify(logs)).not.toContain("token");
  });

  it("rejects invalid input with its path", async () => {
    const paths = async (body: object) => (await errorsOf(create(body))).map(({ path }) => path);
    expect(await paths({ name: "", url: "ftp://example.com" })).toEqual(["name", "url"]);
    expect(await paths({})).toEqual(["url"]);
    expect(await paths({ url: "https://user:secret@example.com" })).toEqual(["url"]);
    expect(await paths({ url: "https://a.example", addresses: ["a@example.com"] })).toEqual(["addresses"]);
    expect(await paths({ type: "EMAIL" })).toEqual(["addresses"]);
    expect(await paths({ type: "EMAIL", addresses: ["nobody"] })).toEqual(["addresses[0]"]);
    expect(await paths({ type: "EMAIL", addresses: ["a@b.example"], url: "https://a.example" })).toEqual([
      "url",
    ]);
    expect(await paths({ type: "PIGEON", url: "https://a.example" })).toEqual(["type"]);
  });

  it("rejects private addresses unless the configuration allows them", async () => {
    for (const url of [
      "https://127.0.0.1",
      "https://[::1]",
      "https://169.254.169.254/latest",
      "http://10.1.2.3",
    ])
      expect(await errorsOf(create({ url }))).toMatchObject([
        { path: "url", message: expect.stringContaining("WEBHOOK_ALLOWED_HOSTS") },
      ]);
    expect(await create({ url: "http://hooks.internal/in" })).toMatchObject({
      url: "http://hooks.internal/in",
    });
  });
});

describe("a channel", () => {
  it("keeps its previous secret for 24 hours after a rotation", async () => {
    const channel = await createWebhook();
    const params = { channelID: channel.id };
    const rotated = await owner.call(rotateNotificationSecret, { params });
    expect(rotated.secret).not.toBe(channel.secret);
    const expiresAt = new Date(rotated.previousSecretExpiresAt ?? 0).getTime();
    expect(expiresAt - server.ctx.clock().getTime()).toBeGreaterThan(23 * HOUR_MS);
    const logs = await owner.call(listAuditLogs, { query: { "filter.targetID": channel.id } });
    expect(logs.data[0]?.event).toMatchObject({ type: "UPDATED", after: { keyRotated: true } });
    const { id } = await create({ type: "SLACK", url: SLACK_URL });
    const unsigned = owner.call(rotateNotificationSecret, { params: { channelID: id } });
    expect(await errorCodesOf(unsigned)).toEqual(["ERR_INVALID_VALUE"]);
  });

  it("is removed from its rules when it is deleted, with an entry for each", async () => {
    const [channel, other] = [await createWebhook(), await createWebhook()];
    const rule = await owner.call(createNotificationRule, {
      body: { eventType: "MEMBER_ADDED", channelIDs: [channel.id, other.id] },
    });
    await owner.call(deleteNotificationChannel, { params: { channelID: channel.id } });
    await expect(read(channel.id)).rejects.toBeInstanceOf(NotFoundError);
    expect((await owner.call(getNotificationRule, { params: { ruleID: rule.id } })).channelIDs).toEqual([
      other.id,
    ]);
    const logs = await owner.call(listAuditLogs, { query: { "filter.targetID": rule.id } });
    expect(logs.data[0]?.event).toMatchObject({ type: "UPDATED", after: { channelIDs: [other.id] } });
  });

  it("is deleted once by two requests at the same time, and never stays in a new rule", async () => {
    const channel = await createWebhook();
    const params = { channelID: channel.id };
    const body = { eventType: "MEMBER_ADDED" as const, channelIDs: [channel.id] };
    const results = await Promise.allSettled([
      owner.call(deleteNotificationChannel, { params }),
      owner.call(deleteNotificationChannel, { params }),
      owner.call(createNotificationRule, { body }),
    ]);
    expect(results.slice(0, 2).filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const using = await server.query("select from notification_rules where $1 = any(channel_ids)", [
      channel.id,
    ]);
    expect(using).toEqual([]);
  });

  it("is changed by administrators and read by auditors, of its own organization only", async () => {
    const { id, secret: _, ...body } = await createWebhook();
    const params = { channelID: id };
    const auditor = await joinAs(server, owner, "auditor");
    const stranger = await server.signUp();
    expect(await read(id, auditor)).toMatchObject({ id });
    expect(await errorCodesOf(create({ url: "https://a.example" }, auditor))).toEqual(["ERR_FORBIDDEN"]);
    expect(await errorCodesOf(auditor.call(rotateNotificationSecret, { params }))).toEqual(["ERR_FORBIDDEN"]);
    for (const attempt of [
      () => stranger.call(getNotificationChannel, { params }),
      () => stranger.call(updateNotificationChannel, { params, body }),
      () => stranger.call(rotateNotificationSecret, { params }),
      () => stranger.call(deleteNotificationChannel, { params }),
    ])
      expect(await errorCodesOf(attempt())).toEqual(["ERR_NOT_FOUND"]);
    expect((await stranger.call(listNotificationChannels)).data).toEqual([]);
  });
});
