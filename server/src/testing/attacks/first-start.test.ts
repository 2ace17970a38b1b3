/** What other users of the machine or of the Internet can do with a server that was just started. */
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { signup, verifyMagicLink } from "@lightkeeper/contract";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ConfigError } from "../../infrastructure/config/config.ts";
import { loadSecretKey } from "../../infrastructure/crypto/secret-key.ts";
import { createTestDatabase } from "../database.ts";
import { PRODUCTION } from "../production.ts";
import { buildServer, findFreePort, type ServerBuild, startServerProcess } from "../server-processes.ts";
import { outcomeOf, errorsOf, errorCodesOf } from "../request-errors.ts";
import { startTestServer, type TestServer, type TestServerOptions } from "../server.ts";
import { runCommand } from "../../commands/commands.ts";

describe("the generated secret key", () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), "lightkeeper-first-start-"));
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    rmSync(dataDir, { recursive: true });
  });

  const file = () => join(dataDir, "secret.key");
  const writeKey = (mode: number) => {
    writeFileSync(file(), Buffer.alloc(32, 1).toString("base64"));
    chmodSync(file(), mode);
  };
  const load = () => loadSecretKey({ secretKey: undefined, dataDir });

  it.each(["604", "640", "644", "620", "601", "666", "777"])("is rejected with mode %s", (mode) => {
    writeKey(parseInt(mode, 8));
    expect(load).toThrow(ConfigError);
    expect(load).toThrow(`Run: chmod 600 ${file()}`);
    chmodSync(file(), 0o600);
    expect(load()).toEqual(Buffer.alloc(32, 1));
  });

  it.each(["600", "400"])("is accepted with mode %s", (mode) => {
    writeKey(parseInt(mode, 8));
    expect(load()).toEqual(Buffer.alloc(32, 1));
  });

  it("is rejected if it belongs to another user", () => {
    writeKey(0o600);
    vi.spyOn(process, "getuid").mockReturnValue(statSync(file()).uid + 1);
    expect(load).toThrow(ConfigError);
    expect(load).toThrow(`chown ${statSync(file()).uid + 1} ${file()}`);
  });

  it("is created readable only by its owner, whatever the umask", () => {
    const before = process.umask(0);
    try {
      load();
    } finally {
      process.umask(before);
    }
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  it("stops the server before it starts its database", async () => {
    writeKey(0o644);
    const environment = { DATA_DIR: dataDir, DATABASE_URL: "", SECRET_KEY: "" };
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    const on = vi.spyOn(process, "on").mockReturnThis();
    await expect(runCommand(["serve"])).rejects.toThrow(`Run: chmod 600 ${file()}`);
    on.mockRestore();
    await expect(runCommand(["migrate"])).rejects.toThrow(`Run: chmod 600 ${file()}`);
    expect(readdirSync(dataDir)).toEqual(["secret.key"]);
  });
});

describe("the first account of a public server", () => {
  const environment = {
    ...PRODUCTION,
    SECRET_KEY: Buffer.alloc(32, 1).toString("base64"),
  };
  const EMAIL = "first@example.com";
  const invalid = [
    { code: "ERR_INVALID_SETUP_CODE", message: "the setup code is missing or invalid", path: "setupCode" },
  ];
  const servers: TestServer[] = [];
  const start = async (more: Partial<TestServerOptions> = {}) => {
    const server = await startTestServer({ environment, ...more });
    servers.push(server);
    return server;
  };
  afterEach(async () => {
    for (const server of servers.splice(0).reverse()) await server.close();
  });

  const request = ({ client }: TestServer, setupCode?: string) =>
    client()(signup, { body: { email: EMAIL, ...(setupCode !== undefined && { setupCode }) } });
  const followLink = async (server: TestServer) =>
    server.client()(verifyMagicLink, { body: { magicLinkToken: await server.linkToken(EMAIL) } });
  const countUsers = async ({ query }: TestServer) => (await query("select id from users")).length;

  it.each(["first", "open"])(
    "needs the setup code with SIGNUP=%s, and no later account does",
    async (mode) => {
      const server = await start({ environment: { ...environment, SIGNUP: mode } });
      expect(server.setupCode).toMatch(/^([A-Z2-7]{4}-){5}[A-Z2-7]{4}$/);
      for (const code of [undefined, "", "AAAA-AAAA-AAAA-AAAA-AAAA-AAAA", `${server.setupCode}A`])
        expect(await errorsOf(request(server, code))).toEqual(invalid);
      await server.app.outbox.drain();
      expect(server.mails).toEqual([]);

      await request(server, ` ${server.setupCode?.toLowerCase().replaceAll("-", " ")} `);
      expect(await followLink(server)).toHaveProperty("sessionToken");
      const second = server.client()(signup, { body: { email: "second@example.com" } });
      if (mode === "open") expect(await second).toEqual({});
      else expect(await errorCodesOf(second)).toEqual(["ERR_FORBIDDEN"]);
      expect(await server.query("select * from setup_codes")).toEqual([]);
    },
  );

  it("is not created by a link that was requested without the code", async () => {
    const local = await start({ environment: { SECRET_KEY: environment.SECRET_KEY } });
    await request(local);
    const magicLinkToken = await local.linkToken(EMAIL);
    const server = await start({ database: local.database });
    const verify = () => server.client()(verifyMagicLink, { body: { magicLinkToken } });
    expect(await errorsOf(verify())).toEqual(invalid);
    expect(await countUsers(server)).toBe(0);
  });

  it("is not created with the code of an earlier start, or by a link that was requested with it", async () => {
    const earlier = await start();
    await request(earlier, earlier.setupCode);
    const later = await start({ database: earlier.database });
    expect(later.setupCode).not.toBe(earlier.setupCode);
    expect(await errorsOf(followLink(earlier))).toEqual(invalid);
    expect(await errorsOf(request(later, earlier.setupCode))).toEqual(invalid);
    expect(await countUsers(later)).toBe(0);
    // Processes share the code.
    await request(earlier, later.setupCode);
    expect(await followLink(earlier)).toHaveProperty("sessionToken");
  });

  it("has a code that cannot be guessed: attempts are limited by IP address", async () => {
    const server = await start();
    const outcomes: string[] = [];
    for (let attempt = 0; attempt < 31; attempt++)
      outcomes.push(
        await outcomeOf(
          server.client()(signup, { body: { email: `guess${attempt}@example.com`, setupCode: "AAAA" } }),
        ),
      );
    expect(new Set(outcomes.slice(0, 30))).toEqual(new Set(["ERR_INVALID_SETUP_CODE"]));
    expect(outcomes[30]).toBe("ERR_TOO_MANY_REQUESTS");
  });

  it("has a code that is stored as a hash and never logged", async () => {
    let log = "";
    const server = await start({
      environment: { ...environment, LOG_LEVEL: "trace" },
      logTo: { write: (line) => void (log += line) },
    });
    await request(server, server.setupCode);
    await server.linkToken(EMAIL);
    const rows = await server.query(
      "select to_jsonb(code) as row from setup_codes code union all select to_jsonb(link) from magic_links link",
    );
    expect(rows).toHaveLength(2);
    expect(log.length).toBeGreaterThan(0);
    for (const text of [log, JSON.stringify(rows)]) expect(text).not.toContain(server.setupCode);
  });

  it("needs no code on a local server, and cannot be created where sign-up is closed", async () => {
    expect((await start({ environment: {} })).setupCode).toBeUndefined();
    const closed = await start({ environment: { ...environment, SIGNUP: "closed" } });
    expect(closed.setupCode).toBeUndefined();
    expect(await errorCodesOf(request(closed, "AAAA"))).toEqual(["ERR_FORBIDDEN"]);
  });

  it("has its code printed at each start until it exists", async () => {
    const build = buildServer();
    const database = await createTestDatabase();
    try {
      const [first, second] = [await serveOnce(build, database.url), await serveOnce(build, database.url)];
      expect(first).toMatch(SETUP_CODE_LINE);
      expect(second).toMatch(SETUP_CODE_LINE);
      expect(SETUP_CODE_LINE.exec(second)?.[1]).not.toBe(SETUP_CODE_LINE.exec(first)?.[1]);
      const server = await start({ database });
      await server.signUp();
      expect(await serveOnce(build, database.url)).not.toContain("Setup code");
    } finally {
      for (const server of servers.splice(0).reverse()) await server.close();
      await database.drop();
      build.remove();
    }
  }, 120_000);

  it("keeps its code when a second server on the same port fails to start", async () => {
    const build = buildServer();
    const database = await createTestDatabase();
    const port = await findFreePort();
    const options = {
      build,
      port,
      databaseURL: database.url,
      secretKey: environment.SECRET_KEY,
      environment: { ...environment, LOG_LEVEL: "silent" },
    };
    const running = await startServerProcess(options);
    try {
      await expect(startServerProcess(options)).rejects.toThrow(
        `The server did not start:\nPort ${port} is already in use. Stop the process that uses it, or set PORT to another port.\n`,
      );
      const setupCode = SETUP_CODE_LINE.exec(running.output())?.[1] ?? "";
      const response = await fetch(`${running.url}/v1/signup`, {
        method: "POST",
        body: JSON.stringify({ email: EMAIL, setupCode }),
      });
      expect(response.status).toBe(200);
    } finally {
      await running.kill();
      await database.drop();
      build.remove();
    }
  }, 120_000);

  const SETUP_CODE_LINE =
    /^Setup code for the first account, at https:\/\/console\.example\.com\/signup: ([A-Z2-7-]{29})$/m;

  /** Starts a server process and stops it as soon as it is ready; returns what it printed. */
  async function serveOnce(build: ServerBuild, databaseURL: string): Promise<string> {
    const process = await startServerProcess({
      build,
      port: await findFreePort(),
      databaseURL,
      secretKey: environment.SECRET_KEY,
      environment: { ...environment, SHUTDOWN_GRACE_SECONDS: "0", LOG_LEVEL: "silent" },
    });
    process.child.kill("SIGTERM");
    expect(await process.exited).toBe(0);
    return process.output();
  }
});
