/** Every dump in testing/ is restored, migrated to the newest state and served by today's server. */
import { createPrivateKey } from "node:crypto";
import { Readable } from "node:stream";
import {
  createNetwork,
  createHostV2,
  listDomains,
  listHostsV2,
  listMembers,
  listNetworks,
  listRoles,
  listRoutes,
  listTags,
  verifyAuditLogs,
  whoami,
} from "@lightkeeper/contract";
import { sql } from "kysely";
import { afterEach, expect, it } from "vitest";
import { createSecretBox } from "../crypto/secret-box.ts";
import {
  type Dump,
  DUMP_SECRET_KEY,
  type DumpFacts,
  listDumpedStates,
  readDump,
  restoreDump,
} from "../../testing/dumps/dump-files.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database.ts";
import { startTestServer, type TestServer } from "../../testing/server.ts";
import { TestAgent } from "../../testing/test-agent.ts";
import { importFrom } from "../../features/transfer/import.ts";
import { readContents, exportDatabase, withConnection } from "../../testing/transfer-fixtures.ts";
import { migrate } from "./migrate.ts";
import { migrations } from "./migration-list.ts";

const dumps = listDumpedStates().map(readDump);

let stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.reverse()) await stop();
  stops = [];
});

async function restore(dump: Dump): Promise<TestDatabase> {
  const database = await restoreDump(dump);
  stops.push(database.drop);
  return database;
}

/** Starts today's server with the restored database, at the time of the dump. */
async function upgrade(dump: Dump): Promise<{ server: TestServer; migrated: string[] }> {
  const database = await restore(dump);
  const migrated = await withConnection(database.url, (db) => migrate(db));
  const server = await startTestServer({ database, environment: { SECRET_KEY: DUMP_SECRET_KEY } });
  stops.push(server.close);
  server.advance(Date.parse(dump.facts.at) - Date.now());
  return { server, migrated };
}

it.each(dumps)("a database at $state keeps all data and works with the current server", async (dump) => {
  const { state, facts } = dump;
  const { server, migrated } = await upgrade(dump);
  const names = Object.keys(migrations);
  expect(migrated).toEqual(names.slice(names.indexOf(state) + 1));
  for (const [table, count] of Object.entries(facts.counts))
    expect([table, await server.query(`select count(*)::int as count from ${table}`)]).toEqual([
      table,
      [{ count }],
    ]);

  const call = server.client(facts.userToken, facts.authToken);
  expect(await call(whoami)).toMatchObject({
    actor: { type: "user", email: facts.email, role: "owner" },
    organization: { id: facts.organizationID },
  });
  expect(await call(verifyAuditLogs)).toMatchObject({ ok: true, entries: facts.counts.audit_logs });
  const networks = (await call(listNetworks)).data;
  expect(networks.map(({ id }) => id)).toContain(facts.networkID);
  expect(networks.map((network) => network.name).sort()).toEqual(facts.networkNames ?? ["Harbor", "Sea"]);
  if (facts.apiKey)
    expect((await server.client(facts.apiKey.token)(listNetworks)).data).toHaveLength(networks.length);
  if (facts.roleID)
    expect((await call(listRoles)).data.find(({ id }) => id === facts.roleID)).toMatchObject({
      name: "Web",
      firewallRules: [{ description: "pages", portRange: { from: 443, to: 443 } }],
    });
  if (facts.hostID) await expectHosts(call, facts);
  if (facts.agent) await expectAgent(server, facts.agent);
  await expectMembers(server, facts);
  // New objects refer to migrated ones.
  const network = await call(createNetwork, { body: { name: "New" } });
  expect(await call(createHostV2, { body: { name: "new", networkID: network.id } })).toMatchObject({
    name: "new",
  });
});

async function expectHosts(call: ReturnType<TestServer["client"]>, facts: DumpFacts) {
  const { data, metadata } = await call(listHostsV2, { query: { includeCounts: true } });
  expect(metadata.totalCount).toBe(facts.counts.hosts);
  expect(data.map((host) => host.name).sort()).toEqual(
    facts.hostNames ?? ["Web 1", "blocked", "lighthouse-1", "router"],
  );
  expect(data.find(({ id }) => id === facts.hostID)).toMatchObject({
    roleID: facts.roleID,
    tags: ["site:quay"],
    configOverrides: [{ key: "tun.mtu", value: 1280 }],
  });
  expect((await call(listRoutes)).data).toMatchObject([
    { id: facts.routeID, name: "Office", routableCIDRs: { "172.16.5.0/24": { install: true } } },
  ]);
  const tags = (await call(listTags)).data;
  expect(tags.find((tag) => tag.name === "site:quay")).toMatchObject({ routeSubscriptions: [facts.routeID] });
}

async function expectMembers(server: TestServer, { ssoToken, memberEmails, domains }: DumpFacts) {
  if (!ssoToken || !memberEmails || !domains) return;
  const call = server.client(ssoToken);
  expect((await call(whoami)).actorType).toBe("oidcUser");
  expect((await call(listMembers)).data.map(({ email }) => email).sort()).toEqual(memberEmails);
  expect((await call(listDomains)).map(({ domain }) => domain).sort()).toEqual(domains);
}

/** The agent polls with its stored key and accepts an update that a trusted key signed. */
async function expectAgent(server: TestServer, { hostKey, ...state }: NonNullable<DumpFacts["agent"]>) {
  const agent = new TestAgent(server.url, {
    ...state,
    hostKey: { privateKey: createPrivateKey(hostKey.privatePem), publicPem: hostKey.publicPem },
  });
  agent.skewMs = server.ctx.clock().getTime() - Date.now();
  await agent.hasUpdate();
  await agent.update("DoUpdate");
  expect(await agent.hasUpdate()).toBe(false);
}

it("a database without counts of several tags counts its hosts by them", async () => {
  const database = await restore(readDump("0022_ipv6_and_p256"));
  const counts = await withConnection(database.url, async (db) => {
    await sql`update hosts set tags = array['site:quay', 'site:sea'] where name in ('router', 'Web 1')`.execute(
      db,
    );
    await migrate(db);
    const rows = db.selectFrom("host_tag_set_counts").select(["tags", "role_id", "count"]);
    return rows.execute();
  });
  const tags = ["site:quay", "site:sea"];
  const ofRole = expect.stringMatching(/^role-/);
  expect(counts).toHaveLength(2);
  expect(counts).toEqual(
    expect.arrayContaining([
      { tags, role_id: null, count: 1 },
      { tags, role_id: ofRole, count: 1 },
    ]),
  );
});

it("an export of an older database is migrated by the import, like the database itself", async () => {
  const dump = readDump("0004_add_hosts");
  const [old, upgraded, target] = [
    await restore(dump),
    await restore(dump),
    await createTestDatabase({ empty: true }),
  ];
  stops.push(target.drop);
  await withConnection(upgraded.url, (db) => migrate(db));
  const { keyID } = createSecretBox(Buffer.from(DUMP_SECRET_KEY, "base64"));
  const chunks = await exportDatabase(old.url, keyID);
  const { header, migrated } = await withConnection(target.url, (db) =>
    importFrom(db, Readable.from(chunks), { keyID, replace: false, allowOlder: false }),
  );
  expect([header.migration, migrated.at(-1)]).toEqual([dump.state, Object.keys(migrations).at(-1)]);
  expect(await readContents(target.url)).toEqual(await readContents(upgraded.url));
});
