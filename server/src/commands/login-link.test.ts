import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listAuditLogs, logInWithTotp, verifyMagicLink } from "@lightkeeper/contract";
import { startEmbeddedPostgres } from "@lightkeeper/postgres";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { MINUTE_MS, startTestServer, type TestServer } from "../testing/server.ts";
import { captureCommand } from "./testing.ts";

const SECRET_KEY = Buffer.alloc(32, 1).toString("base64");
let server: TestServer;
let dataDir: string;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "lightkeeper-login-link-"));
  // As root the embedded database runs under another account, which has to reach this directory.
  chmodSync(dataDir, 0o711);
  server = await startTestServer({ environment: { SECRET_KEY } });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const run = (...args: string[]) =>
  captureCommand({ DATA_DIR: dataDir, DATABASE_URL: server.database.url, SECRET_KEY }, ...args);
const tokenIn = (output: string) => /magicLinkToken=(\S+)/.exec(output)?.[1] ?? "";
const verify = (magicLinkToken: string) => server.client()(verifyMagicLink, { body: { magicLinkToken } });

it("prints a link that works once, needs the second factor and is audited", async () => {
  const person = await server.signUp("ada@example.com");
  const output = await run("login-link", "Ada@Example.com");
  expect(output).toMatch(
    /^Login link for Ada@Example\.com\. It works once and expires in 15 minutes:\n\n {2}http:\/\/localhost:8080\/auth\/magic-link\?magicLinkToken=\S+\n$/,
  );
  const tries = await Promise.allSettled([verify(tokenIn(output)), verify(tokenIn(output))]);
  expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  const [sessionToken = ""] = tries.flatMap((result) =>
    result.status === "fulfilled" ? [result.value.sessionToken] : [],
  );
  const call = server.client(sessionToken);
  await expect(call(listAuditLogs)).rejects.toMatchObject({ code: "ERR_2FA_REQUIRED" });
  server.advance(MINUTE_MS);
  const { authToken } = await call(logInWithTotp, { body: { code: server.code(person.totpSecret) } });
  const { data } = await server.client(sessionToken, authToken)(listAuditLogs);
  const entry = data.find(({ event }) => event.type === "CREATED_LOGIN_LINK");
  expect(entry).toMatchObject({
    actor: { type: "support" },
    target: { type: "user" },
    targetName: "ada@example.com",
  });
  expect(JSON.stringify(entry)).not.toContain(tokenIn(output));
});

it("prints a link that expires after 15 minutes", async () => {
  await server.signUp("ada@example.com");
  const token = tokenIn(await run("login-link", "ada@example.com"));
  server.advance(15 * MINUTE_MS);
  await expect(verify(token)).rejects.toMatchObject({
    errors: [{ code: "ERR_INVALID_MAGIC_LINK_TOKEN" }],
  });
});

it("refuses an address without an account, and creates nothing", async () => {
  await expect(run("login-link", "nobody@example.com")).rejects.toThrow(
    "No user has the email address nobody@example.com",
  );
  expect(await server.query("select * from magic_links")).toEqual([]);
});

it("works with the embedded database, with the server stopped or running", async () => {
  await server.signUp("ada@example.com");
  const file = join(dataDir, "all.export");
  await run("export", file);
  const embedded = { DATA_DIR: dataDir, DATABASE_URL: "" };
  await captureCommand(embedded, "import", file);
  expect(tokenIn(await captureCommand(embedded, "login-link", "ada@example.com"))).not.toBe("");
  const log = () => undefined;
  const running = await startEmbeddedPostgres({ dataDir, database: "lightkeeper", log, fast: true });
  try {
    expect(tokenIn(await captureCommand(embedded, "login-link", "ada@example.com"))).not.toBe("");
  } finally {
    await running.stop();
  }
});
