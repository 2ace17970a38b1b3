import {
  bulkHosts,
  createNetwork,
  createRole,
  createTag,
  deleteRole,
  listAuditLogs,
  type AuditLog,
  updateRole,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFleet } from "../../testing/fleet.ts";
import { errorsOf } from "../../testing/request-errors.ts";
import { insertApiKey } from "../../testing/api-keys.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";

let server: TestServer;
let owner: Session;
let keyID: string;
let roleID: string;
let isBetween: string;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
  const key = await insertApiKey(server, owner, ["roles:create", "roles:update", "tags:create"]);
  keyID = key.id;
  const byKey = server.client(key.token);
  ({ id: roleID } = await byKey(createRole, { body: { name: "Ops" } }));
  const [newest] = await listed();
  isBetween = newest?.timestamp ?? "";
  await byKey(createTag, { body: { name: "env:prod" } });
  await owner.call(updateRole, { params: { roleID }, body: { description: "x" } });
});
afterAll(() => server.close());

type Query = NonNullable<Parameters<typeof owner.call<typeof listAuditLogs>>[1]>["query"];
const listed = async (query: Query = {}): Promise<AuditLog[]> =>
  (await owner.call(listAuditLogs, { query: { pageSize: 500, ...query } })).data;
const words = (entries: AuditLog[]) =>
  entries.map(({ actor, event, target }) => `${actor.type} ${event.type} ${target.type}`);

describe("the log is filtered", () => {
  it("by object, with or without a type", async () => {
    expect(words(await listed({ "filter.targetID": roleID }))).toEqual([
      "user UPDATED role",
      "apiKey CREATED role",
    ]);
    expect(words(await listed({ "filter.targetID": "env:prod" }))).toEqual(["apiKey CREATED tag"]);
    expect(await listed({ "filter.targetID": roleID, "filter.targetType": "host" })).toEqual([]);
  });

  it("by actor ID, by email address in any case, and by actor type", async () => {
    const byKey = ["apiKey CREATED tag", "apiKey CREATED role"];
    expect(words(await listed({ "filter.actor": keyID }))).toEqual(byKey);
    expect(words(await listed({ "filter.actor": "apiKey" }))).toEqual(byKey);
    const mine = await listed({ "filter.actor": owner.userID });
    expect(words(mine)).toContain("user UPDATED role");
    expect(new Set(mine.map(({ actor }) => actor.type))).toEqual(new Set(["user"]));
    expect(await listed({ "filter.actor": owner.email.toUpperCase() })).toEqual(mine);
    const own = await listed({ "filter.actor": "system" });
    expect(own.length).toBeGreaterThan(0);
    expect(own.length + mine.length + byKey.length).toBe((await listed()).length);
    expect(await listed({ "filter.actor": "nobody@example.com" })).toEqual([]);
  });

  it("by action, and by several conditions together", async () => {
    expect(words(await listed({ "filter.action": "UPDATED" }))).toContain("user UPDATED role");
    const query = { "filter.action": "CREATED", "filter.targetType": "role", "filter.actor": keyID } as const;
    expect(words(await listed(query))).toEqual(["apiKey CREATED role"]);
  });

  it("by a time range that excludes its end", async () => {
    const all = await listed();
    const split = new Date(new Date(isBetween).getTime() + 1).toISOString();
    const [until, since] = [await listed({ "filter.to": split }), await listed({ "filter.from": split })];
    expect([...since, ...until]).toEqual(all);
    expect(words(since)).toContain("user UPDATED role");
    expect(words(until)).toContain("apiKey CREATED role");
  });

  it("and still has pages", async () => {
    const query = { "filter.actor": owner.userID, pageSize: 2 };
    const first = await owner.call(listAuditLogs, { query });
    const second = await owner.call(listAuditLogs, {
      query: { ...query, cursor: first.metadata.nextCursor },
    });
    const all = await listed({ "filter.actor": owner.userID });
    expect([...first.data, ...second.data]).toEqual(all.slice(0, 4));
  });

  it.each([
    ["filter.action", "DANCED"],
    ["filter.from", "yesterday"],
    ["filter.to", "2026-02-30T00:00:00Z"],
    ["filter.actor", "a\0b"],
  ])("but not by an invalid value: %s=%s", async (path, value) => {
    expect(await errorsOf(listed({ [path]: value }))).toMatchObject([{ code: "ERR_INVALID_VALUE", path }]);
  });

  it("without showing entries of another organization", async () => {
    const stranger = await server.signUp();
    const query = { "filter.actor": owner.email };
    expect((await stranger.call(listAuditLogs, { query })).data).toEqual([]);
  });
});

describe("an entry shows", () => {
  it("the address of its actor, and none for the system", async () => {
    // The key was inserted without the API.
    const entries = (await listed()).filter(({ target }) => target.id !== keyID);
    for (const { actor, actorAddress } of entries)
      expect(actorAddress).toBe(actor.type === "system" ? null : "127.0.0.1");
  });

  it("the address of the request for work that is done later", async () => {
    const { add } = await createFleet(server, owner);
    const { id } = await add();
    await owner.call(bulkHosts, { body: { ids: [id], action: "block" } });
    await server.app.jobs.drain();
    const [blocked] = await listed({ "filter.action": "BLOCKED_HOST" });
    expect(blocked).toMatchObject({ actor: { type: "user" }, actorAddress: "127.0.0.1" });
  });

  it("the current names of actor and target, while they exist", async () => {
    const { id } = await owner.call(createNetwork, { body: { name: "Named" } });
    const [made] = await listed({ "filter.targetID": id, "filter.actor": owner.userID });
    expect(made).toMatchObject({ targetName: "Named", actorName: owner.email });
    await owner.call(deleteRole, { params: { roleID } });
    const ofRole = await listed({ "filter.targetID": roleID });
    expect(ofRole.map(({ targetName }) => targetName)).toEqual([null, null, null]);
    const [byKey] = await listed({ "filter.actor": keyID });
    expect(byKey).toMatchObject({ actorName: byKey && "name" in byKey.actor ? byKey.actor.name : "" });
  });
});
