import {
  createNotificationChannel,
  createNotificationRule,
  createRole,
  createTag,
  deleteNotificationRule,
  deleteRole,
  getNotificationRule,
  listAuditLogs,
  listNotificationRules,
  NotFoundError,
  updateNotificationRule,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { joinAs } from "../../testing/members.ts";
import { errorCodesOf, errorsOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";

let server: TestServer;
let owner: Session;
let channelID: string;
beforeAll(async () => {
  server = await startTestServer();
});
beforeAll(async () => {
  owner = await server.signUp();
  const body = { type: "EMAIL" as const, name: "On-call", addresses: ["on-call@example.com"] };
  channelID = (await owner.call(createNotificationChannel, { body })).id;
});
afterAll(() => server.close());

const create = (body: object = {}, by = owner) =>
  by.call(createNotificationRule, {
    body: { eventType: "HOST_OFFLINE", thresholdMinutes: 5, channelIDs: [channelID], ...body } as never,
  });

describe("a notification rule", () => {
  it("is created, replaced, listed and deleted, with audit entries", async () => {
    await owner.call(createTag, { body: { name: "env:prod" } });
    const rule = await create({ tags: ["env:prod"], quietHours: { start: "22:00", end: "07:00" } });
    expect(rule).toMatchObject({ digest: "NONE", timeZone: "UTC", days: null, isEnabled: true });
    const params = { ruleID: rule.id };
    const changed = await owner.call(updateNotificationRule, {
      params,
      body: { ...rule, thresholdMinutes: 10, quietHours: null, digest: "DAILY", timeZone: "Europe/Berlin" },
    });
    expect(changed).toMatchObject({ thresholdMinutes: 10, quietHours: null, digest: "DAILY" });
    expect(await owner.call(getNotificationRule, { params })).toEqual(changed);
    expect((await owner.call(listNotificationRules)).data).toContainEqual(changed);
    await owner.call(deleteNotificationRule, { params });
    await expect(owner.call(getNotificationRule, { params })).rejects.toBeInstanceOf(NotFoundError);
    const { data } = await owner.call(listAuditLogs, { query: { "filter.targetID": rule.id } });
    expect(data.map(({ event }) => event.type)).toEqual(["DELETED", "UPDATED", "CREATED"]);
  });

  it("rejects invalid input with its path", async () => {
    const paths = async (body: object) => (await errorsOf(create(body))).map(({ path }) => path);
    expect(await paths({ thresholdMinutes: 1 })).toEqual(["thresholdMinutes"]);
    expect(await paths({ thresholdMinutes: null })).toEqual(["thresholdMinutes"]);
    expect(await paths({ days: 3 })).toEqual(["days"]);
    expect(await paths({ eventType: "CA_EXPIRING", thresholdMinutes: null })).toEqual(["days"]);
    expect(await paths({ eventType: "MEMBER_ADDED", thresholdMinutes: null, tags: ["a:b"] })).toEqual([
      "tags",
    ]);
    expect(await paths({ eventType: "HOST_SAD" })).toEqual(["eventType"]);
    expect(await paths({ channelIDs: [] })).toEqual(["channelIDs"]);
    expect(await paths({ timeZone: "Mars/Olympus" })).toEqual(["timeZone"]);
    expect(await paths({ quietHours: { start: "22:00", end: "24:00" } })).toEqual(["quietHours.end"]);
    expect(await paths({ quietHours: { start: "22:00", end: "22:00" } })).toEqual(["quietHours.end"]);
  });

  it("refers to channels, roles and tags of its own organization only", async () => {
    const stranger = await server.signUp();
    expect(await errorsOf(create({}, stranger))).toMatchObject([
      { code: "ERR_INVALID_REFERENCE", path: "channelIDs[0]" },
    ]);
    expect(await errorsOf(create({ roleIDs: ["role-none"] }))).toMatchObject([{ path: "roleIDs[0]" }]);
    expect(await errorsOf(create({ tags: ["no:such"] }))).toMatchObject([{ path: "tags[0]" }]);
    const stream = await owner.call(createNotificationChannel, {
      body: { type: "AUDIT_STREAM", name: "SIEM", url: "https://siem.example.com" },
    });
    expect(await errorsOf(create({ channelIDs: [stream.id] }))).toMatchObject([{ path: "channelIDs[0]" }]);
    const { id } = await create();
    for (const attempt of [
      () => stranger.call(getNotificationRule, { params: { ruleID: id } }),
      () => stranger.call(deleteNotificationRule, { params: { ruleID: id } }),
    ])
      expect(await errorCodesOf(attempt())).toEqual(["ERR_NOT_FOUND"]);
  });

  it("can be saved again after its role was deleted", async () => {
    const role = await owner.call(createRole, { body: { name: "Short-lived" } });
    const rule = await create({ roleIDs: [role.id] });
    await owner.call(deleteRole, { params: { roleID: role.id } });
    const changed = await owner.call(updateNotificationRule, {
      params: { ruleID: rule.id },
      body: { ...rule, isEnabled: false },
    });
    expect(changed).toMatchObject({ roleIDs: [role.id], isEnabled: false });
  });

  it("is changed by administrators only, and read by auditors", async () => {
    const auditor = await joinAs(server, owner, "auditor");
    const { id } = await create();
    expect(await auditor.call(getNotificationRule, { params: { ruleID: id } })).toMatchObject({ id });
    expect(await errorCodesOf(create({}, auditor))).toEqual(["ERR_FORBIDDEN"]);
    expect(await errorCodesOf(auditor.call(deleteNotificationRule, { params: { ruleID: id } }))).toEqual([
      "ERR_FORBIDDEN",
    ]);
  });
});
