/**
 * Databases as they were right after each migration landed, filled through the API of that time and written down by
 * `pg_dump --rows-per-insert=1000 --no-owner --no-privileges`; their first line says what they hold.
 */
import { createPrivateKey } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gunzipSync } from "node:zlib";
import {
  createNetwork,
  createHostV2,
  listHostsV2,
  listNetworks,
  listRoles,
  listRoutes,
  listTags,
  verifyAuditLogs,
  whoami,
} from "@lightkeeper/contract";
import pg from "pg";
import { afterEach, expect, it } from "vitest";
import { createSecretBox } from "../crypto/secret-box.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database.ts";
import { startTestServer, type TestServer } from "../../testing/server.ts";
import { type State, TestAgent } from "../../testing/test-agent.ts";
import { importFrom } from "../../features/transfer/import.ts";
import { readContents, exportDatabase, withConnection } from "../../testing/transfer-fixtures.ts";
import { migrate } from "./migrate.ts";
import { migrations } from "./migration-list.ts";

const DIRECTORY = join(import.meta.dirname, "testing");
const SECRET_KEY = Buffer.alloc(32, 7).toString("base64");

interface Known {
  at: string;
  organizationID: string;
  email: string;
  userToken: string;
  authToken: string;
  counts: Record<string, number>;
  networkID: string;
  apiKey?: { token: string };
  roleID?: string;
  hostID?: string;
  routeID?: string;
  agent?: Omit<State, "hostKey"> & { hostKey: { privatePem: string; publicPem: string } };
}

const dumps = readdirSync(DIRECTORY).map((file) => {
  const sql = gunzipSync(readFileSync(join(DIRECTORY, file))).toString("utf8");
  const [first = ""] = sql.split("\n", 1);
  return { name: file.replace(".sql.gz", ""), sql, known: JSON.parse(first.slice(3)) as Known };
});

let stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.reverse()) await stop();
  stops = [];
});

async function restore(sql: string): Promise<TestDatabase> {
  const database = await createTestDatabase({ empty: true });
  stops.push(database.drop);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(sql);
  await client.end();
  return database;
}

/** Today's server on yesterday's database, at the time of yesterday. */
async function upgrade(sql: string, at: string): Promise<{ server: TestServer; migrated: string[] }> {
  const database = await restore(sql);
  const migrated = await withConnection(database.url, (db) => migrate(db));
  const server = await startTestServer({ database, environment: { SECRET_KEY } });
  stops.push(server.close);
  server.advance(Date.parse(at) - Date.now());
  return { server, migrated };
}

it.each(dumps)("a database at $name keeps everything and is served", async ({ name, sql, known }) => {
  const { server, migrated } = await upgrade(sql, known.at);
  const names = Object.keys(migrations);
  expect(migrated).toEqual(names.slice(names.indexOf(name) + 1));
  for (const [table, count] of Object.entries(known.counts))
    expect([table, await server.query(`select count(*)::int as count from ${table}`)]).toEqual([
      table,
      [{ count }],
    ]);

  const call = server.client(known.userToken, known.authToken);
  expect(await call(whoami)).toMatchObject({
    actor: { type: "user", email: known.email, role: "owner" },
    organization: { id: known.organizationID },
  });
  expect(await call(verifyAuditLogs)).toMatchObject({ ok: true, entries: known.counts.audit_logs });
  const networks = (await call(listNetworks)).data;
  expect(networks.map(({ id }) => id)).toContain(known.networkID);
  expect(networks.map((network) => network.name).sort()).toEqual(["Harbor", "Sea"]);
  if (known.apiKey) expect((await server.client(known.apiKey.token)(listNetworks)).data).toHaveLength(2);
  if (known.roleID)
    expect((await call(listRoles)).data.find(({ id }) => id === known.roleID)).toMatchObject({
      name: "Web",
      firewallRules: [{ description: "pages", portRange: { from: 443, to: 443 } }],
    });
  if (known.hostID) await expectHosts(call, known);
  if (known.agent) await expectAgent(server, known.agent);
  // What is new stands on what is old.
  const made = await call(createNetwork, { body: { name: "New" } });
  expect(await call(createHostV2, { body: { name: "new", networkID: made.id } })).toMatchObject({
    name: "new",
  });
});

async function expectHosts(call: ReturnType<TestServer["client"]>, known: Known) {
  const { data, metadata } = await call(listHostsV2, { query: { includeCounts: true } });
  expect(metadata.totalCount).toBe(4);
  expect(data.map((host) => host.name).sort()).toEqual(["Web 1", "blocked", "lighthouse-1", "router"]);
  expect(data.find(({ id }) => id === known.hostID)).toMatchObject({
    roleID: known.roleID,
    tags: ["site:quay"],
    configOverrides: [{ key: "tun.mtu", value: 1280 }],
  });
  expect((await call(listRoutes)).data).toMatchObject([
    { id: known.routeID, name: "Office", routableCIDRs: { "172.16.5.0/24": { install: true } } },
  ]);
  const tags = (await call(listTags)).data;
  expect(tags.find((tag) => tag.name === "site:quay")).toMatchObject({ routeSubscriptions: [known.routeID] });
}

/** It polls with the key it has, and what it is told is signed by whom it trusts. */
async function expectAgent(server: TestServer, { hostKey, ...state }: NonNullable<Known["agent"]>) {
  const agent = new TestAgent(server.url, {
    ...state,
    hostKey: { privateKey: createPrivateKey(hostKey.privatePem), publicPem: hostKey.publicPem },
  });
  agent.skewMs = server.ctx.clock().getTime() - Date.now();
  await agent.hasUpdate();
  await agent.update("DoUpdate");
  expect(await agent.hasUpdate()).toBe(false);
}

it("an export of an older database is brought up to date by the import, like the database itself", async () => {
  const { sql, name } = dumps.find((dump) => dump.name.startsWith("0004"))!;
  const [old, upgraded, target] = [
    await restore(sql),
    await restore(sql),
    await createTestDatabase({ empty: true }),
  ];
  stops.push(target.drop);
  await withConnection(upgraded.url, (db) => migrate(db));
  const { keyID } = createSecretBox(Buffer.from(SECRET_KEY, "base64"));
  const chunks = await exportDatabase(old.url, keyID);
  const { header, migrated } = await withConnection(target.url, (db) =>
    importFrom(db, Readable.from(chunks), { keyID, replace: false, allowOlder: false }),
  );
  expect([header.migration, migrated.at(-1)]).toEqual([name, Object.keys(migrations).at(-1)]);
  expect(await readContents(target.url)).toEqual(await readContents(upgraded.url));
});
