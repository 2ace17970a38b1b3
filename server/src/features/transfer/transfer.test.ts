import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import {
  createApiKey,
  createHostV2,
  createNetworkV2,
  createNetwork,
  createRole,
  createRoute,
  createTag,
  listHostsV2,
  listNetworks,
  verifyAuditLogs,
  whoami,
} from "@lightkeeper/contract";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { runCommand } from "../../commands/commands.ts";
import { createSecretBox } from "../../infrastructure/crypto/secret-box.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database.ts";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { TestAgent } from "../../testing/test-agent.ts";
import { importFrom } from "./import.ts";
import { ownTables, ownViews } from "./own-tables.ts";
import { readContents, exportDatabase, SECRET_KEY, withConnection } from "../../testing/transfer-fixtures.ts";

const { keyID } = createSecretBox(Buffer.from(SECRET_KEY, "base64"));
/** More rows than one batch. */
const MANY = 600;

let source: TestServer;
let owner: Session;
let fleet: Fleet;
let agent: TestAgent;
let p256Agent: TestAgent;
let apiKey: string;
let directory: string;
let file: string;
let target: TestDatabase;
let said: string;

const run = (url: string, ...args: string[]) => {
  vi.stubEnv("DATABASE_URL", url);
  vi.stubEnv("DATA_DIR", directory);
  vi.stubEnv("SECRET_KEY", SECRET_KEY);
  said = "";
  const write = vi
    .spyOn(process.stdout, "write")
    .mockImplementation((text) => Boolean((said += String(text))));
  return runCommand(args).finally(() => write.mockRestore());
};

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "lightkeeper-transfer-"));
  file = join(directory, "all.export");
  source = await startTestServer({ environment: { SECRET_KEY } });
  owner = await source.signUp();
  fleet = await createFleet(source, owner, "10.99.0.0/16");
  const role = await owner.call(createRole, {
    body: { name: 'Quotes " \\ and 🗼', description: "Two\nlines" },
  });
  await owner.call(createTag, { body: { name: "site:quay" } });
  const router = await fleet.add({ roleID: role.id, tags: ["site:quay"] });
  await owner.call(createRoute, {
    body: { name: "Office", routerHostID: router.id, routableCIDRs: { "172.16.0.0/24": { install: true } } },
  });
  agent = await TestAgent.enrollHost(source.url, owner, router.id);
  const bay = { name: "Bay", certVersion: 2, curve: "P256", cidrs: ["fd99::/64"] } as const;
  const { id: networkID } = await owner.call(createNetworkV2, { body: { ...bay, cidrs: [...bay.cidrs] } });
  const host = await owner.call(createHostV2, { body: { name: "bay-1", networkID } });
  const userAgent = "lightkeeper-agent/1.0.0 (linux; arm64) nebula/1.11.0";
  p256Agent = await TestAgent.enrollHost(source.url, owner, host.id, userAgent);
  await fleet.addMany(MANY, 100);
  const key = await owner.call(createApiKey, { body: { name: "deploy", scopes: ["networks:list"] } });
  apiKey = key.token;
  await source.query(
    "insert into mail_jobs (kind, email, next_attempt_at, created_at) values ('signIn', 'a@b.c', now() + interval '1 day', now())",
  );
  while ((await source.ctx.seal()) > 0);
  await run(source.database.url, "export", file);
});
beforeEach(async () => {
  target = await createTestDatabase({ empty: true });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await target.drop();
});
afterAll(async () => {
  await source.close();
  rmSync(directory, { recursive: true });
});

describe("an export", () => {
  it("is one file that only its owner can read, complete or absent", () => {
    expect(readdirSync(directory)).toEqual(["all.export"]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const [header = ""] = gunzipSync(readFileSync(file)).toString("utf8").split("\n", 1);
    expect(JSON.parse(header)).toMatchObject({ format: "lightkeeper export", version: 1, keyID });
  });

  it("is a consistent snapshot", async () => {
    const before = await readContents(source.database.url);
    const exporting = await withConnection(source.database.url, (db) =>
      db.transaction().execute(async (tx) => {
        // The lock stops the export halfway.
        await sql`lock table invitations in access exclusive mode`.execute(tx);
        const running = exportDatabase(source.database.url, keyID);
        while ((await source.countLockWaits()) === 0) await sleep(10);
        await owner.call(createNetwork, { body: { name: "Meanwhile" } });
        return { running };
      }),
    );
    const chunks = await exporting.running;
    expect((await readContents(source.database.url)).networks).not.toBe(before.networks);
    await withConnection(target.url, (db) =>
      importFrom(db, Readable.from(chunks), { keyID, replace: false, allowOlder: false }),
    );
    expect(await readContents(target.url)).toMatchObject({
      networks: before.networks,
      certificate_authorities: before.certificate_authorities,
      audit_logs: before.audit_logs,
    });
  });

  it("of an empty database is rejected", async () => {
    await expect(run(target.url, "export", join(directory, "none"))).rejects.toThrow(
      "There is nothing to export",
    );
    expect(readdirSync(directory)).toEqual(["all.export"]);
  });
});

it("covers every table", async () => {
  const rows = await source.query<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_name not like 'kysely%' order by 1`,
  );
  expect(rows.map(({ name }) => name)).toEqual([...ownTables, ...ownViews].sort());
});

describe("an import", () => {
  it("recreates the installation: people, keys and agents continue to work", async () => {
    await run(target.url, "import", file);
    expect(said).toContain("rows from the export of");
    await expect(run(target.url, "import", file)).rejects.toThrow("The database is not empty. Use --replace");
    const server = await startTestServer({ database: target, environment: { SECRET_KEY } });
    try {
      const call = server.client(owner.userToken, owner.authToken);
      expect(await call(whoami)).toMatchObject({ organization: { id: owner.organizationID } });
      expect(await call(verifyAuditLogs)).toMatchObject({ ok: true });
      expect((await server.client(apiKey)(listNetworks)).data[0]).toMatchObject({ id: fleet.networkID });
      const moved = new TestAgent(server.url, agent.state);
      expect(await moved.hasUpdate()).toBe(false);
      // Counts, addresses and numbers continue where they stopped.
      await call(createHostV2, { body: { name: "after", networkID: fleet.networkID } });
      const { metadata } = await call(listHostsV2, { query: { includeCounts: true } });
      expect(metadata.totalCount).toBe(MANY + 3);
      await moved.update("DoUpdate");
      expect(await moved.hasUpdate()).toBe(false);
      const movedP256 = new TestAgent(server.url, p256Agent.state);
      movedP256.userAgent = p256Agent.userAgent;
      expect(await movedP256.hasUpdate()).toBe(false);
      await movedP256.update("DoUpdate");
      expect(movedP256.state.certificate).toContain("CERTIFICATE V2");
      expect(await movedP256.hasUpdate()).toBe(false);
      await server.query(
        "insert into mail_jobs (kind, email, next_attempt_at, created_at) values ('signIn', 'a@b.c', now(), now())",
      );
    } finally {
      await server.close();
    }
  });

  it("imports every row of every table, and only once with two concurrent imports", async () => {
    const once = () =>
      withConnection(target.url, (db) =>
        importFrom(db, Readable.from([readFileSync(file)]), { keyID, replace: false, allowOlder: false }),
      );
    const results = await Promise.allSettled([once(), once()]);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(results.find(({ status }) => status === "rejected")).toMatchObject({
      reason: { message: expect.stringContaining("The database is not empty") as string },
    });
    const imported = await readContents(target.url);
    const again = join(directory, "again");
    await run(target.url, "export", again);
    const rowsOf = (path: string) =>
      gunzipSync(readFileSync(path)).toString("utf8").split("\n").slice(1).sort();
    expect(rowsOf(again)).toEqual(rowsOf(file));

    // Newer than the export, so it is kept without --allow-older.
    const change = sql`update audit_logs set created_at = now() + interval '1 hour' where sequence = 1`;
    await withConnection(target.url, (db) => change.execute(db));
    const changed = await readContents(target.url);
    await expect(run(target.url, "import", again, "--replace")).rejects.toThrow("Use --allow-older");
    expect(await readContents(target.url)).toEqual(changed);
    await run(target.url, "import", again, "--replace", "--allow-older");
    rmSync(again);
    expect(await readContents(target.url)).toEqual(imported);
  });

  it("that is interrupted or killed leaves the database unchanged", async () => {
    const whole = readFileSync(file);
    async function* until(stop: () => Promise<unknown>) {
      yield whole.subarray(0, whole.length - 3000);
      await stop();
      yield whole.subarray(whole.length - 3000);
    }
    const broken = (stop: () => Promise<unknown>) =>
      withConnection(target.url, (db) =>
        importFrom(db, until(stop), { keyID, replace: true, allowOlder: false }),
      );
    await expect(broken(() => Promise.reject(new Error("read error")))).rejects.toThrow("read error");
    expect(await readContents(target.url)).toEqual({});
    const kill = "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1";
    const name = new URL(target.url).pathname.slice(1);
    await expect(broken(() => source.query(kill, [name]))).rejects.toThrow(/connection/i);
    expect(await readContents(target.url)).toEqual({});
  });

  it("is rejected while a server is running", async () => {
    await expect(run(source.database.url, "import", file, "--replace")).rejects.toThrow(
      "A server is using the database. Stop it first.",
    );
  });

  const first = (change: object = {}) => {
    const [header = ""] = gunzipSync(readFileSync(file)).toString("utf8").split("\n", 1);
    return JSON.stringify({ ...JSON.parse(header), ...change });
  };
  const packed = (...lines: string[]) => gzipSync(lines.map((line) => `${line}\n`).join(""));
  const FLAGS = '{"table":"feature_flags","columns":["organization_id","name","value"]}';
  it.each([
    [
      "an export with another key",
      () => packed(first({ keyID: "00000000" })),
      "encrypted with a different SECRET_KEY",
    ],
    [
      "an export of a newer version",
      () => packed(first({ migration: "9999_later" })),
      "created by a newer version",
    ],
    ["an export in another format", () => packed(first({ version: 2 })), "has format 2"],
    ["a file that isn't an export", () => Buffer.from("hello"), "not a Lightkeeper export"],
    ["compressed text that isn't an export", () => packed("hello"), "not a Lightkeeper export"],
    ["an incomplete export", () => readFileSync(file).subarray(0, 2000), "it is incomplete"],
    ["an export without its end", () => packed(first()), "its end is missing"],
    ["a missing row", () => packed(first(), FLAGS, '{"rows":1}'), "it has 0 rows instead of 1"],
    [
      "an unknown table",
      () => packed(first(), FLAGS.replace("feature_flags", "pg_authid")),
      "no table pg_authid",
    ],
    [
      "a row with too few values",
      () => packed(first(), FLAGS, '["org"]', '{"rows":1}'),
      "does not have 3 values",
    ],
    [
      "a row of an unknown organization",
      () => packed(first(), FLAGS, '["org","A","true"]', '{"rows":1}'),
      /damaged: .* violates foreign key/,
    ],
  ])("rejects %s with an explanation and changes nothing", async (_what, content, sentence) => {
    const bad = join(directory, "bad");
    writeFileSync(bad, content());
    await expect(run(target.url, "import", bad)).rejects.toThrow(sentence);
    rmSync(bad);
    expect(await readContents(target.url)).toEqual({});
  });
});
