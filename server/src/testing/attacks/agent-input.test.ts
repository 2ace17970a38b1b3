/** Values from clients that the database cannot store, and streams that leave listeners behind. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { createApiKey, listAuditLogs, updateApiKey } from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { post } from "@lightkeeper/agent/testing";
import { waitForDrain } from "../../infrastructure/http/wait-for-drain.ts";
import { createFleet, type Fleet } from "../fleet.ts";
import { errorsOf } from "../request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../server.ts";
import { TestAgent } from "../test-agent.ts";

let server: TestServer;
let owner: Session;
let fleet: Fleet;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
  fleet = await createFleet(server, owner);
});
afterAll(() => server.close());

const UNSTORABLE = [
  "-271821-04-20T00:00:00.000Z",
  "-004714-01-01T00:00:00.000Z",
  "+275760-09-13T00:00:00.000Z",
  "0000-01-01T00:00:00.000Z",
  "0001-01-01T00:00:00.000Z",
  "1969-12-31T23:59:59.999Z",
  "never",
];

describe("a time that cannot be stored", () => {
  const report = (agent: TestAgent, appliedAt: string) =>
    agent.send("ReportStatus", { configHash: "a", nebulaVersion: null, appliedAt, error: null });

  it.each(UNSTORABLE)("is rejected in a report: %s", async (appliedAt) => {
    const agent = await TestAgent.enrollHost(server.url, owner, (await fleet.add()).id);
    const { status, errors } = await report(agent, appliedAt);
    expect({ status, errors }).toMatchObject({
      status: 400,
      errors: [{ code: "ERR_INVALID_VALUE", path: "appliedAt" }],
    });
    expect((await report(agent, "9999-12-31T23:59:59.999Z")).status).toBe(200);
    expect((await report(agent, "1970-01-01T00:00:00.000Z")).status).toBe(200);
  });

  it.each(UNSTORABLE)("is rejected as the expiry of an API key: %s", async (expiresAt) => {
    const body = { name: "deploy", scopes: ["networks:list" as const] };
    const expected = [expect.objectContaining({ code: "ERR_INVALID_VALUE", path: "expiresAt" })];
    expect(await errorsOf(owner.call(createApiKey, { body: { ...body, expiresAt } }))).toEqual(expected);
    const { id } = await owner.call(createApiKey, { body });
    const change = owner.call(updateApiKey, { params: { apiKeyID: id }, body: { ...body, expiresAt } });
    expect(await errorsOf(change)).toEqual(expected);
  });

  it.each(UNSTORABLE)("is rejected as a filter: %s", async (from) => {
    const [entry] = await errorsOf(owner.call(listAuditLogs, { query: { "filter.from": from } }));
    expect(entry).toMatchObject({ code: "ERR_INVALID_VALUE", path: "filter.from" });
  });
});

describe("a writer that waits for its reader", () => {
  const EVENTS = ["drain", "close", "error"] as const;

  it("leaves no listeners, however often it waits", async () => {
    const stream = new PassThrough({ highWaterMark: 1 });
    const count = () => EVENTS.map((event) => stream.listenerCount(event));
    const before = count();
    for (let round = 0; round < 50; round++) {
      expect(stream.write("more than one byte")).toBe(false);
      const drained = waitForDrain(stream, 60_000);
      stream.read();
      expect(await drained).toBe(true);
    }
    expect(count()).toEqual(before);
  });

  it("gets false if its reader stalls, disconnects or fails", async () => {
    const stalled = new PassThrough({ highWaterMark: 1 });
    stalled.write("unread");
    expect(await waitForDrain(stalled, 10)).toBe(false);
    const left = new PassThrough({ highWaterMark: 1 });
    left.write("unread");
    setImmediate(() => left.destroy());
    expect(await waitForDrain(left, 60_000)).toBe(false);
    const failed = new PassThrough({ highWaterMark: 1 });
    failed.write("unread");
    setImmediate(() => failed.destroy(new Error("gone")));
    expect(await waitForDrain(failed, 60_000)).toBe(false);
  });

  it("does not warn of listeners in the agent when the server reads slowly", async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on("warning", onWarning);
    const slow = createServer((request, response) => {
      void (async () => {
        for await (const chunk of request) if ((chunk as Buffer).length > 0) await sleep(1);
        response.end("{}");
      })();
    }).listen(0, "127.0.0.1");
    await once(slow, "listening");
    async function* lines() {
      for (let count = 0; count < 200; count++) yield "x".repeat(256 * 1024);
    }
    const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`;
    await post(url, "/", "{}", { userAgent: "test", timeoutSeconds: 120, stream: lines() });
    process.off("warning", onWarning);
    slow.close();
    expect(warnings.filter(({ name }) => name === "MaxListenersExceededWarning")).toEqual([]);
  }, 120_000);
});
