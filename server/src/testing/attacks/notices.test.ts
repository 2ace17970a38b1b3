/** An attacker who gets into an account is noticed by its owner, who can log out everywhere. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type BodyInputOf,
  type Client,
  createApiKey,
  createClient,
  logInWithTotp,
  revokeSessions,
  sendMagicLink,
  signOut,
  signup,
  verifyMagicLink,
  whoami,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { deleteExpired } from "../../app/background.ts";
import { runCommand } from "../../commands/commands.ts";
import { insertSsoUser } from "../sso-users.ts";
import { readEvents } from "../events.ts";
import { DAY_MS, MINUTE_MS, type Session, startTestServer, type TestServer } from "../server.ts";
import { addAuthenticator } from "../logins.ts";

const SECRET_KEY = Buffer.alloc(32, 1).toString("base64");
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0";
const NEWER_FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const SAFARI =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.1 Safari/605.1.15";
const HOME = "203.0.113.7";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ frozen: true, environment: { SECRET_KEY, TRUST_PROXY: "1" } });
});
afterAll(() => server.close());

interface From {
  ip: string;
  userAgent: string;
}
const atHome: From = { ip: HOME, userAgent: FIREFOX };

/** A client in a browser behind a proxy. */
const clientAt = ({ ip, userAgent }: From, ...tokens: string[]): Client =>
  createClient({
    baseURL: server.url,
    authorization: () => `Bearer ${tokens.join(" ")}`,
    fetch: (url, init) => {
      const headers = new Headers(init?.headers);
      headers.set("user-agent", userAgent);
      headers.set("x-forwarded-for", ip);
      return fetch(url, { ...init, headers });
    },
  });

let people = 0;

async function followLink(email: string, from: From): Promise<string> {
  const body = { magicLinkToken: await server.linkToken(email) };
  return (await clientAt(from)(verifyMagicLink, { body })).sessionToken;
}

async function signUpFrom(from: From): Promise<Session> {
  const email = `notified${++people}@example.com`;
  await clientAt(from)(signup, { body: { email } });
  const userToken = await followLink(email, from);
  const { authToken, secret } = await addAuthenticator(server, clientAt(from, userToken), "Phone");
  const call = clientAt(from, userToken, authToken);
  const { actor, organization } = await call(whoami);
  const [organizationID, userID] = [organization.id, actor.id];
  return { call, email, userToken, authToken, totpSecret: secret, organizationID, userID };
}

async function logInFrom({ email, totpSecret }: Session, from: From) {
  await clientAt(from)(sendMagicLink, { body: { email } });
  const userToken = await followLink(email, from);
  server.advance(MINUTE_MS);
  const body = { code: server.code(totpSecret) };
  const { authToken } = await clientAt(from, userToken)(logInWithTotp, { body });
  return { userToken, authToken, call: clientAt(from, userToken, authToken) };
}

async function mailsTo(email: string, subject: string) {
  await server.app.outbox.drain();
  return server.mails.filter((mail) => mail.to === email && mail.subject.includes(subject));
}

function expectDetails(text: string | undefined, { ip, browser }: { ip: string; browser: string }): void {
  expect(text).toMatch(/Time: \w+ \d+, \d{4} at \d\d:\d\d UTC/);
  expect(text).toContain(`IP address: ${ip}\nBrowser: ${browser}\nOrganization: example.com`);
  expect(text).toMatch(/If (this|it) wasn’t/);
}

const NEW_BROWSER = "from a new browser";

describe("the user gets an email", () => {
  it("about each new authenticator, including the first", async () => {
    const person = await signUpFrom(atHome);
    const [first, ...others] = await mailsTo(person.email, "New authenticator");
    expect(others).toEqual([]);
    expect(first?.text).toContain("“Phone” was added to your account");
    expectDetails(first?.text, { ip: HOME, browser: "Firefox on Linux" });

    const from = { ip: "198.51.100.9", userAgent: SAFARI };
    await addAuthenticator(server, clientAt(from, person.userToken, person.authToken), "Attacker");
    const [, second] = await mailsTo(person.email, "New authenticator");
    expect(second?.text).toContain("“Attacker”");
    expectDetails(second?.text, { ip: "198.51.100.9", browser: "Safari on macOS" });
  });

  it("about a new API key, also if they use single sign-on", async () => {
    const person = await signUpFrom(atHome);
    const body: BodyInputOf<typeof createApiKey> = { name: "Terraform", scopes: ["hosts:list"] };
    const key = await person.call(createApiKey, { body });
    const [notice] = await mailsTo(person.email, "New API key");
    expect(notice?.text).toContain("“Terraform”");
    expect(notice?.text).toContain(`/settings/api-keys/${key.id}`);
    expect(notice?.text).not.toContain(key.token);
    expectDetails(notice?.text, { ip: HOME, browser: "Firefox on Linux" });

    const sso = await insertSsoUser(server, person);
    await clientAt(atHome, sso)(createApiKey, { body });
    const [forSso] = await mailsTo("somebody@example.com", "New API key");
    expectDetails(forSso?.text, { ip: HOME, browser: "Firefox on Linux" });
  });

  it("about a login from a new browser or a new network, and about no other login", async () => {
    const person = await signUpFrom(atHome);
    expect(await mailsTo(person.email, NEW_BROWSER)).toEqual([]);
    await logInFrom(person, { ip: "203.0.200.1", userAgent: NEWER_FIREFOX });
    expect(await mailsTo(person.email, NEW_BROWSER)).toEqual([]);

    await logInFrom(person, { ip: HOME, userAgent: SAFARI });
    const [browser, ...none] = await mailsTo(person.email, NEW_BROWSER);
    expect(none).toEqual([]);
    expectDetails(browser?.text, { ip: HOME, browser: "Safari on macOS" });

    await logInFrom(person, { ip: "2001:db8::1", userAgent: FIREFOX });
    const [, network] = await mailsTo(person.email, NEW_BROWSER);
    expectDetails(network?.text, { ip: "2001:db8::1", browser: "Firefox on Linux" });

    await logInFrom(person, { ip: "2001:db8:ffff::2", userAgent: FIREFOX });
    await logInFrom(person, { ip: HOME, userAgent: SAFARI });
    expect(await mailsTo(person.email, NEW_BROWSER)).toHaveLength(2);
  });

  it("about a browser only once, even if its session is renewed or it logs in again", async () => {
    const person = await signUpFrom(atHome);
    const away = { ip: "198.51.100.9", userAgent: SAFARI };
    const { userToken } = await logInFrom(person, away);
    for (let day = 0; day < 3; day++) {
      server.advance(DAY_MS);
      const body = { code: server.code(person.totpSecret) };
      await clientAt({ ...away, ip: `10.${day}.0.1` }, userToken)(logInWithTotp, { body });
    }
    await clientAt(away, userToken)(signOut);
    await deleteExpired(server.ctx);
    await logInFrom(person, away);
    expect(await mailsTo(person.email, NEW_BROWSER)).toHaveLength(1);
  });

  it("about the first login after an upgrade, compared with the sessions from before it", async () => {
    const person = await signUpFrom(atHome);
    await server.query("delete from known_browsers where user_id = $1", [person.userID]);
    await logInFrom(person, atHome);
    expect(await mailsTo(person.email, NEW_BROWSER)).toEqual([]);
    await server.query("delete from known_browsers where user_id = $1", [person.userID]);
    await logInFrom(person, { ip: "198.51.100.9", userAgent: SAFARI });
    expect(await mailsTo(person.email, NEW_BROWSER)).toHaveLength(1);
  });

  it("not about renewing a session from before an upgrade", async () => {
    const person = await signUpFrom(atHome);
    const away = { ip: "198.51.100.9", userAgent: SAFARI };
    const { userToken } = await logInFrom(person, away);
    await server.query("delete from known_browsers where user_id = $1", [person.userID]);
    for (const token of [person.userToken, userToken]) {
      server.advance(MINUTE_MS);
      await clientAt(away, token)(logInWithTotp, { body: { code: server.code(person.totpSecret) } });
    }
    expect(await mailsTo(person.email, NEW_BROWSER)).toHaveLength(1);
  });

  it("when their second factor is reset on the server", async () => {
    const person = await signUpFrom(atHome);
    const dataDir = mkdtempSync(join(tmpdir(), "lightkeeper-notices-"));
    vi.stubEnv("DATABASE_URL", server.database.url);
    vi.stubEnv("SECRET_KEY", SECRET_KEY);
    vi.stubEnv("DATA_DIR", dataDir);
    const output = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    try {
      await runCommand(["reset-second-factor", person.email]);
    } finally {
      output.mockRestore();
      vi.unstubAllEnvs();
      rmSync(dataDir, { recursive: true });
    }
    // The command uses the real clock.
    server.advance(MINUTE_MS);
    const [notice] = await mailsTo(person.email, "was reset");
    expect(notice?.text).toContain(`removed all authenticators from your account ${person.email}`);
    expect(notice?.text).toMatch(/Time: .* UTC\nIP address: none/);
    expect(notice?.text).toContain("If you didn’t ask for this, contact the server’s operator");
  });
});

describe("logging out everywhere", () => {
  it.each(["owner", "auditor"])("ends all sessions of the user and no others, as %s", async (role) => {
    const [person, other] = [await signUpFrom(atHome), await signUpFrom(atHome)];
    const away = await logInFrom(person, { ip: "198.51.100.9", userAgent: SAFARI });
    await server.query("update users set role = $1 where id = $2", [role, person.userID]);
    expect(await person.call(revokeSessions)).toEqual({});
    for (const call of [person.call, away.call, server.client(person.userToken)])
      await expect(call(whoami)).rejects.toMatchObject({ code: "ERR_UNAUTHORIZED" });
    expect(await other.call(whoami)).toMatchObject({ actor: { id: other.userID } });
  });

  it("ends the event streams of those sessions immediately", async () => {
    const person = await signUpFrom(atHome);
    const away = await logInFrom(person, atHome);
    const streams = await Promise.all([person, away].map((session) => readEvents(server, session)));
    await person.call(revokeSessions);
    // Without a notification, the server checks the session after 15 seconds.
    const ended = Promise.all(streams.map((stream) => stream.ended)).then(() => "ended");
    expect(await Promise.race([ended, sleep(10_000, "open")])).toBe("ended");
  });
});
