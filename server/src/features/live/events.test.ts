import { randomBytes } from "node:crypto";
import {
  createNetwork,
  deleteNetwork,
  deleteOrganization,
  listNetworks,
  signOut,
  updateNetwork,
} from "@lightkeeper/contract";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { readEvents } from "../../testing/events.ts";
import { errorCodesOf } from "../../testing/request-errors.ts";
import { startTestServer, type TestServer } from "../../testing/server.ts";

const environment = { SECRET_KEY: randomBytes(32).toString("base64") };
let one: TestServer;
let two: TestServer;
beforeAll(async () => {
  one = await startTestServer({ environment });
  two = await startTestServer({ environment, database: one.database });
});
afterAll(async () => {
  await two.close();
  await one.close();
});

const elsewhere = (server: TestServer, { userToken, authToken }: { userToken: string; authToken: string }) =>
  server.client(userToken, authToken);

describe("the stream of changes", () => {
  it("reports changes of this server and of others, after they can be read", async () => {
    const session = await one.signUp();
    const events = await readEvents(two, session);
    expect(events.response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(events.response.headers.get("x-request-id")).toMatch(/^req-/);
    const here = await elsewhere(two, session)(createNetwork, { body: { name: "Here" } });
    const there = await session.call(createNetwork, { body: { name: "There" } });
    for (const { id } of [here, there])
      await vi.waitFor(() => expect(events.changes).toContainEqual({ noun: "networks", id, networkID: id }));
    expect((await elsewhere(two, session)(listNetworks)).data).toHaveLength(2);
    events.close();
  });

  it("names the noun, but never the new values", async () => {
    const session = await one.signUp();
    const events = await readEvents(one, session);
    const { id, signingCAID } = await session.call(createNetwork, { body: { name: "Quiet" } });
    await session.call(updateNetwork, { params: { networkID: id }, body: { name: "Whisper" } });
    await session.call(deleteNetwork, { params: { networkID: id } });
    const network = { noun: "networks", id, networkID: id };
    const ca = { noun: "certificate-authorities", id: signingCAID, networkID: id };
    const ofIt = () => events.changes.filter(({ networkID }) => networkID === id);
    await vi.waitFor(() => expect(ofIt()).toEqual([network, ca, network]), 20_000);
    events.close();
  });

  it("reports nothing of another organization", async () => {
    const [session, stranger] = [await one.signUp(), await one.signUp()];
    const events = await readEvents(one, session);
    await stranger.call(createNetwork, { body: { name: "Theirs" } });
    const mine = await session.call(createNetwork, { body: { name: "Mine" } });
    const named = () => events.changes.flatMap(({ networkID }) => networkID ?? []);
    await vi.waitFor(() => expect(named()).toEqual([mine.id, mine.id]));
    events.close();
  });

  it("reports nothing of a change that was rolled back", async () => {
    const session = await one.signUp();
    const events = await readEvents(one, session);
    await session.call(createNetwork, { body: { name: "Kept" } });
    await expect(session.call(createNetwork, { body: { name: "Kept" } })).rejects.toThrow();
    await session.call(createNetwork, { body: { name: "Kept too" } });
    const named = () => events.changes.flatMap(({ networkID }) => networkID ?? []);
    await vi.waitFor(() => expect(named()).toHaveLength(4));
    events.close();
  });

  it("is rejected without the second factor", async () => {
    const { userToken } = await one.signUp();
    await expect(readEvents(one, { userToken, authToken: "" })).rejects.toThrow("401");
  });

  it("releases a reader that disconnects", async () => {
    const session = await one.signUp();
    const before = one.ctx.changes.subscriberCount;
    const events = await readEvents(one, session);
    expect(one.ctx.changes.subscriberCount).toBe(before + 1);
    events.close();
    await vi.waitFor(() => expect(one.ctx.changes.subscriberCount).toBe(before));
  });
});

describe("the stream ends", () => {
  it("at logout on any server, for that session only", async () => {
    const [session, other] = [await one.signUp(), await one.signUp()];
    const events = await readEvents(one, session);
    const others = await readEvents(one, other);
    await elsewhere(two, session)(signOut);
    await events.ended;
    await other.call(createNetwork, { body: { name: "Still here" } });
    await vi.waitFor(() => expect(others.changes.length).toBeGreaterThan(0));
    others.close();
  });

  it("when the auth token expires", async () => {
    const session = await one.signUp();
    await one.query("update auth_tokens set expires_at = $1", [new Date(one.ctx.clock().getTime() + 400)]);
    const events = await readEvents(one, session);
    const begunAt = performance.now();
    await events.ended;
    expect(performance.now() - begunAt).toBeLessThan(20_000);
    expect(await errorCodesOf(session.call(listNetworks))).toEqual(["ERR_2FA_REQUIRED"]);
  });

  it("when the organization is deleted", async () => {
    const session = await one.signUp();
    const events = await readEvents(two, session);
    await session.call(deleteOrganization, { params: { organizationID: session.organizationID } });
    await events.ended;
    expect(await errorCodesOf(session.call(listNetworks))).toEqual(["ERR_UNAUTHORIZED"]);
  });

  it("when the server stops, which does not wait for it", async () => {
    const third = await startTestServer({ environment, database: one.database });
    const session = await one.signUp();
    const events = await readEvents(third, session);
    const begunAt = performance.now();
    await third.close();
    await events.ended;
    expect(performance.now() - begunAt).toBeLessThan(20_000);
  });
});

describe("the change feed", () => {
  it("reconnects after a lost connection, and ends streams that may have missed changes", async () => {
    const session = await two.signUp();
    const events = await readEvents(two, session);
    const feeds =
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'lightkeeper changes'";
    await one.query(`${feeds} and datname = current_database()`);
    await events.ended;
    const again = await readEvents(two, session);
    const { id } = await elsewhere(one, session)(createNetwork, { body: { name: "Afterwards" } });
    await vi.waitFor(() => expect(again.changes).toContainEqual({ noun: "networks", id, networkID: id }));
    again.close();
  });

  it("stays closed when it is closed while it reconnects", async () => {
    const third = await startTestServer({ environment, database: one.database });
    const own =
      "from pg_stat_activity where application_name = 'lightkeeper changes' and datname = current_database()";
    const feeds = async () =>
      (await one.query<{ pid: number }>(`select pid ${own} order by backend_start`)).map(({ pid }) => pid);
    const before = await feeds();
    const ofThird = before.slice(-2);
    await one.query("select pg_terminate_backend(pid) from unnest($1::integer[]) pid", [ofThird]);
    await third.close();
    await sleep(200);
    expect(await feeds()).toEqual(before.slice(0, -2));
  });
});
