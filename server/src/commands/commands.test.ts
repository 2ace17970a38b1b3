import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createNetwork,
  createTotpAuthenticator,
  listAuditLogs,
  logInWithTotp,
  whoami,
} from "@lightkeeper/contract";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ConfigError } from "../infrastructure/config/config.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@lightkeeper/postgres";
import { createTestDatabase, type TestDatabase } from "../testing/database.ts";
import { createFleet } from "../testing/fleet.ts";
import { renew, type Session, startTestServer, type TestServer } from "../testing/server.ts";
import { TestAgent } from "../testing/test-agent.ts";
import { readContents } from "../testing/transfer-fixtures.ts";
import { captureCommand } from "./testing.ts";
import { addAuthenticator, logInByLink } from "../testing/logins.ts";

const keyOf = (byte: number) => Buffer.alloc(32, byte).toString("base64");

let database: TestDatabase;
let dataDir: string;
let server: TestServer | undefined;
let embedded: EmbeddedPostgres | undefined;
let said: string;

const run = async (environment: Record<string, string | undefined>, ...args: string[]) => {
  const all = { DATA_DIR: dataDir, DATABASE_URL: "", SECRET_KEY: "", NEW_SECRET_KEY: "", ...environment };
  said = await captureCommand(all, ...args);
};
const here = (key = 1) => ({ DATABASE_URL: database.url, SECRET_KEY: keyOf(key) });
const start = async (key: number) =>
  (server = await startTestServer({ database, environment: { SECRET_KEY: keyOf(key) } }));
const stop = async () => {
  await server?.close();
  server = undefined;
};

beforeEach(async () => {
  database = await createTestDatabase();
  dataDir = mkdtempSync(join(tmpdir(), "lightkeeper-commands-"));
  // As root the database runs under another account, which has to reach this directory.
  chmodSync(dataDir, 0o711);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await stop();
  await embedded?.stop();
  embedded = undefined;
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

describe("the command line", () => {
  it("lists the commands", async () => {
    await run({}, "help");
    for (const name of [
      "serve",
      "migrate",
      "export FILE",
      "import FILE",
      "rotate-secret",
      "login-link EMAIL",
      "test-mail EMAIL",
    ])
      expect(said).toContain(`  ${name}`);
  });

  it.each([
    ["npm run cli --", "cli"],
    ["lightkeeper", undefined],
  ])("shows how to run a command with %s", async (program, script) => {
    await run({ npm_lifecycle_event: script }, "help");
    expect(said).toMatch(new RegExp(`^Usage: ${program} COMMAND\\n`));
  });

  const wrong: [string[], string | RegExp][] = [
    [["wipe"], /^Unknown command wipe\. Use serve, migrate, .* or help\.$/],
    [["serve", "now"], "Usage: serve"],
    [["migrate", "--down"], "Usage: migrate"],
    [["export"], "Usage: export FILE"],
    [["export", "a", "b"], "Usage: export FILE"],
    [["import", "a", "--force"], "Usage: import FILE [--replace] [--allow-older]"],
    [["import", "/nowhere/at/all"], "Can’t read /nowhere/at/all: ENOENT"],
    [["export", "/nowhere/at/all"], "Can’t write /nowhere/at/all: ENOENT"],
    [["rotate-secret", "now"], "Usage: rotate-secret"],
    [["rotate-secret"], "NEW_SECRET_KEY must be 32 bytes in base64, because SECRET_KEY is set"],
    [["reset-second-factor"], "Usage: reset-second-factor EMAIL"],
    [
      ["reset-second-factor", "nobody@example.com"],
      "No user with a second factor has the email address nobody@example.com",
    ],
    [["login-link"], "Usage: login-link EMAIL"],
    [["test-mail"], "Usage: test-mail EMAIL"],
    [["flag", "org-A", "NAME"], "Usage: flag ORGANIZATION_ID NAME VALUE"],
    [["flag", "org-A", "NAME", "yes"], "VALUE must be true or false"],
    [["flag", "org-A", "NAME", "true"], "Organization org-A does not exist"],
  ];
  it("explains every invalid command line", async () => {
    for (const [args, sentence] of wrong) {
      const failed = run(here(), ...args);
      await expect(failed).rejects.toThrow(sentence);
      await expect(failed).rejects.toBeInstanceOf(ConfigError);
    }
  });

  it("reports that the database is not responding", async () => {
    const gone = { ...here(), DATABASE_URL: "postgresql://nobody@127.0.0.1:1/none" };
    await expect(run(gone, "migrate")).rejects.toThrow("Can’t connect to the database at DATABASE_URL");
  });
});

describe("reset-second-factor", () => {
  it("removes authenticators and sessions, is audited, and allows a new setup despite earlier wrong codes", async () => {
    const running = await start(1);
    const { signUp, client } = running;
    const [person, other] = [await signUp("lost@example.com"), await signUp()];
    for (let attempt = 0; attempt < 10; attempt++)
      await person.call(logInWithTotp, { body: { code: "wrong" } }).catch(() => undefined);
    await run(here(), "reset-second-factor", "Lost@example.com");
    expect(said).toContain("Removed 1 authenticator of");
    await expect(person.call(whoami)).rejects.toMatchObject({ code: "ERR_UNAUTHORIZED" });
    expect(await other.call(whoami)).toMatchObject({ organization: { id: other.organizationID } });

    const sessionToken = await logInByLink(running, person.email);
    const { authToken } = await addAuthenticator(running, client(sessionToken), "New");
    const { data } = await client(sessionToken, authToken)(listAuditLogs);
    expect(data.find(({ event }) => event.type === "DELETED_TOTP")).toMatchObject({
      actor: { type: "support" },
      target: { type: "totp" },
    });
    await run(here(), "reset-second-factor", person.email);
    await expect(run(here(), "reset-second-factor", person.email)).rejects.toThrow(
      "has no authenticator yet",
    );
  });
});

describe("rotate-secret", () => {
  /** Creates an encrypted value of every kind. */
  async function createSecrets(
    at: TestServer,
  ): Promise<{ owner: Session; agent: TestAgent; hostName: string }> {
    const owner = await at.signUp();
    const fleet = await createFleet(at, owner);
    const host = await fleet.add();
    const agent = await TestAgent.enrollHost(at.url, owner, host.id);
    await owner.call(createTotpAuthenticator, { body: {} });
    const id = "oidc-A";
    const secret = at.ctx.secrets.seal(Buffer.from("client secret"), {
      table: "oidc_providers",
      column: "client_secret",
      id,
    });
    await at.query(
      `insert into oidc_providers (organization_id, id, name, issuer_url, client_id, client_secret, allowed_domains,
         trusts_emails, default_role, created_at, modified_at)
       values ($1, $2, '', '', '', $3, '{}', false, 'auditor', now(), now())`,
      [owner.organizationID, id, secret],
    );
    const hash = Buffer.alloc(32, 9);
    const trial = at.ctx.secrets.seal(Buffer.from("{}"), {
      table: "oidc_requests",
      column: "trial",
      id: hash.toString("hex"),
    });
    await at.query(
      `insert into oidc_requests (token_hash, organization_id, provider_id, state, nonce, code_verifier, trial,
         expires_at) values ($1, $2, $3, '', '', '', $4, now() + interval '1 day')`,
      [hash, owner.organizationID, id, trial],
    );
    return { owner, agent, hostName: host.name };
  }

  it("re-encrypts everything with the new key, and the old key no longer works", async () => {
    const { owner, agent } = await createSecrets(await start(1));
    const rotation = { ...here(1), NEW_SECRET_KEY: keyOf(2) };
    await expect(run(rotation, "rotate-secret")).rejects.toThrow(
      "A server is using the database. Stop it first.",
    );
    await stop();
    await run(rotation, "rotate-secret");
    expect(said).toMatch(/^Re-encrypted 6 values with the new key\. Set SECRET_KEY to the new key/);
    await run(rotation, "rotate-secret");
    expect(said).toMatch(/^Re-encrypted 0 values/);

    await expect(run(here(1), "migrate")).rejects.toThrow(
      "The database is encrypted with a different SECRET_KEY",
    );
    await expect(run(here(1), "export", join(dataDir, "x"))).rejects.toThrow(
      "encrypted with a different SECRET_KEY",
    );
    const third = { ...here(3), NEW_SECRET_KEY: keyOf(4) };
    await expect(run(third, "rotate-secret")).rejects.toThrow("encrypted with neither of the two keys");
    const again = await start(2);
    const { call } = await renew(again, owner);
    await call(createNetwork, { body: { name: "After" } });
    const moved = new TestAgent(again.url, agent.state);
    moved.skewMs = again.ctx.clock().getTime() - Date.now();
    await moved.update("DoUpdate");
    expect(await moved.hasUpdate()).toBe(false);
  });

  it("changes nothing if there is an unknown encrypted value", async () => {
    const { ctx, query } = await start(1);
    await createSecrets(server!);
    const place = { table: "seen_signatures", column: "signature_hash", id: "" };
    await query("insert into seen_signatures values ($1, now())", [ctx.secrets.seal(Buffer.of(1), place)]);
    await stop();
    const before = await readContents(database.url);
    const rotation = { ...here(1), NEW_SECRET_KEY: keyOf(2) };
    await expect(run(rotation, "rotate-secret")).rejects.toThrow("seen_signatures.signature_hash is sealed");
    expect(await readContents(database.url)).toEqual(before);
  });

  it("generates a key for the embedded database, and continues after a kill", async () => {
    const { owner } = await createSecrets(await start(1));
    await stop();
    const file = join(dataDir, "all.export");
    await run(here(1), "export", file);
    writeFileSync(join(dataDir, "secret.key"), keyOf(1), { mode: 0o600 });
    // The commands below connect to the running cluster.
    embedded = await startEmbeddedPostgres({
      dataDir,
      database: "lightkeeper",
      log: () => undefined,
      fast: true,
    });
    await run({}, "import", file);
    await run({}, "rotate-secret");
    expect(said).toMatch(/^Re-encrypted 6 values with the new key\. The new key is in .*secret\.key\./);
    const made = readFileSync(join(dataDir, "secret.key"), "utf8");
    expect(made.trim()).not.toBe(keyOf(1));

    // As if killed after the commit and before the key file was renamed.
    copyFileSync(join(dataDir, "secret.key"), join(dataDir, "secret.key.next"));
    writeFileSync(join(dataDir, "secret.key"), keyOf(1));
    await expect(run({}, "migrate")).rejects.toThrow("If rotate-secret was interrupted, run it again.");
    await run({}, "rotate-secret");
    expect(readFileSync(join(dataDir, "secret.key"), "utf8")).toBe(made);
    expect(existsSync(join(dataDir, "secret.key.next"))).toBe(false);
    await run({}, "export", file);
    await run({ ...here(), SECRET_KEY: made.trim() }, "import", file, "--replace");
    const moved = await startTestServer({ database, environment: { SECRET_KEY: made.trim() } });
    server = moved;
    moved.advance(60_000);
    const body = { code: moved.code(owner.totpSecret) };
    expect(await moved.client(owner.userToken)(logInWithTotp, { body })).toHaveProperty("authToken");
  });
});
