import { createClient, listHostsV2, listNetworks, whoami } from "@lightkeeper/contract";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { createApp } from "../app/app.ts";
import { readConfig } from "../infrastructure/config/config.ts";
import { createContext } from "../infrastructure/context/context.ts";
import { createTestDatabase, type TestDatabase } from "../testing/database.ts";
import { PRODUCTION } from "../testing/production.ts";
import { rawRequest } from "../testing/raw-request.ts";
import { demoCommand, prepareDemo } from "./demo.ts";

let database: TestDatabase;
let dataDir: string;
let stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = mkdtempSync(join(tmpdir(), "lightkeeper-demo-"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const stop of stops) await stop();
  stops = [];
});
afterAll(async () => {
  await database.drop();
  rmSync(dataDir, { recursive: true });
});

/** As the command starts it, on a free port. */
async function startDemo() {
  const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: "silent" });
  const ctx = createContext({ config, connectionString: database.url, version: "test" });
  const { http } = createApp(ctx, { strict: true });
  const link = new URL(await prepareDemo({ ctx, http, connectionString: database.url }));
  await http.listen({ host: "127.0.0.1", port: 0 });
  stops.push(async () => {
    await http.close();
    await ctx.dispose();
  });
  const url = `http://127.0.0.1:${(http.server.address() as AddressInfo).port}`;
  return { url, link: url + link.pathname };
}

async function aWeekPasses(): Promise<void> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query("update host_presence set last_seen_at = last_seen_at - interval '7 days'");
  await client.query("update hosts set is_online = false");
  await client.end();
}

async function signIn({ url, link }: { url: string; link: string }) {
  const { status, headers } = await rawRequest(link);
  expect([status, headers.location]).toEqual([302, "/"]);
  const cookies = headers["set-cookie"] ?? [];
  for (const cookie of cookies) expect(cookie).toMatch(/; Path=\/; SameSite=Strict; Secure; Max-Age=\d+$/);
  const tokens = ["usertoken", "authtoken"].map(
    (name) => cookies.find((cookie) => cookie.startsWith(`${name}=`))?.split(/[=;]/)[1],
  );
  return createClient({ baseURL: url, authorization: () => `Bearer ${tokens.join(" ")}` });
}

const countOf = (call: Awaited<ReturnType<typeof signIn>>, filter = {}) =>
  call(listHostsV2, { query: { ...filter, includeCounts: true } }).then(
    ({ metadata }) => metadata.totalCount,
  );

it("logs in as the owner of a complete organization with one link", async () => {
  const call = await signIn(await startDemo());
  expect(await call(whoami)).toMatchObject({
    actor: { type: "user", email: "owner@harborline.example" },
    organization: { plan: "pro" },
  });
  expect((await call(listNetworks)).data).toHaveLength(3);
  expect(await countOf(call)).toBe(200);
});

it("keeps the organization at the next start, with its hosts online", async () => {
  const before = await countOf(await signIn(await startDemo()), { "filter.status": "online" });
  await aWeekPasses();
  const call = await signIn(await startDemo());
  expect(await countOf(call)).toBe(200);
  expect(before).toBeGreaterThan(100);
  expect(await countOf(call, { "filter.status": "online" })).toBe(before);
  const { data } = await call(listHostsV2, { query: { "filter.status": "online", sort: "lastSeenAt" } });
  const seenAgoMs = Date.now() - Date.parse(data[0]?.metadata.lastSeenAt ?? "");
  expect(seenAgoMs).toBeLessThan(60_000);
});

it("rejects guessed links, other host names and older links", async () => {
  const older = await startDemo();
  const { url, link } = await startDemo();
  const rejected = [
    rawRequest(`${url}/demo/guessed`),
    rawRequest(link, { headers: { host: "demo.example.com" } }),
    rawRequest(url + new URL(older.link).pathname),
  ];
  for (const { status, headers } of await Promise.all(rejected)) {
    expect(status).toBe(404);
    expect(headers["set-cookie"]).toBeUndefined();
  }
});

it.each([
  ["another environment", PRODUCTION, "APP_ENV"],
  ["an external database", { DATABASE_URL: "postgresql://x/y", SECRET_KEY: "A".repeat(43) }, "DATABASE_URL"],
])("rejects %s", async (_what, environment, named) => {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  await expect(demoCommand([], "demo")).rejects.toThrow(named);
});
