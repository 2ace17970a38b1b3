import { sendMagicLink, signup, startOidc, verifyMagicLink, whoami } from "@lightkeeper/contract";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { PRODUCTION } from "../../testing/production.ts";
import { errorsOf, errorCodesOf } from "../../testing/request-errors.ts";
import { startTestServer, type TestServer } from "../../testing/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const countOf = async (from: TestServer, table: string) =>
  (await from.query<{ count: string }>(`select count(*) from ${table}`))[0]?.count;

describe("signing up", () => {
  it("creates the organization, user and role only when the link is verified [S7.3] [S7.5]", async () => {
    const anonymous = server.client();
    expect(await anonymous(signup, { body: { email: "ada@analytical.example", plan: "pro" } })).toEqual({});
    const token = await server.linkToken("ada@analytical.example");
    for (const table of ["organizations", "users", "roles", "sessions", "audit_logs"])
      expect([table, await countOf(server, table)]).toEqual([table, "0"]);

    const { sessionToken } = await anonymous(verifyMagicLink, { body: { magicLinkToken: token } });
    const me = await server.client(sessionToken)(whoami);
    expect(me).toMatchObject({
      actorType: "user",
      actor: { type: "user", email: "ada@analytical.example", hasTOTPAuthenticator: false },
      organization: { name: "analytical.example", plan: "free" },
    });
    expect(await server.query("select wanted_plan, plan from organizations")).toEqual([
      { wanted_plan: "pro", plan: "free" },
    ]);
    const [role] = await server.query<{ name: string; firewall_rules: object[] }>("select * from roles");
    expect(role).toMatchObject({ name: "Lighthouse", organization_id: me.organization.id });
    const description = "Ping from any host";
    expect(role?.firewall_rules).toEqual([
      { protocol: "ICMP", description, allowedRoleID: null, portRange: null },
    ]);
  });

  it("sends the same response and a login link to an address with an account [S7.3]", async () => {
    const { email, organizationID } = await server.signUp();
    const users = await countOf(server, "users");
    expect(await server.client()(signup, { body: { email: ` ${email.toUpperCase()} ` } })).toEqual({});
    const magicLinkToken = await server.linkToken(email);
    expect(server.mails.at(-1)?.subject).toBe("Your login link for Lightkeeper");
    const { sessionToken } = await server.client()(verifyMagicLink, { body: { magicLinkToken } });
    expect((await server.client(sessionToken)(whoami)).organization.id).toBe(organizationID);
    expect(await countOf(server, "users")).toBe(users);
  });

  it.each([
    ["nobody"],
    ["a@b"],
    ["a b@example.com"],
    ["<a@example.com>"],
    [`${"a".repeat(65)}@example.com`],
    [""],
  ])("rejects the address %j [S5.3]", async (email) => {
    const rejected = [{ code: "ERR_INVALID_EMAIL", message: "must be an email address", path: "email" }];
    expect(await errorsOf(server.client()(signup, { body: { email } }))).toEqual(rejected);
    expect(await errorsOf(server.client()(sendMagicLink, { body: { email } }))).toEqual(rejected);
  });

  it("rejects unknown plans and unknown keys", async () => {
    const body = { email: "x@example.com", plan: "free", admin: true };
    const rejected = await errorsOf(server.client()(signup, { body: body as never }));
    expect(rejected.map(({ code, path }) => [code, path])).toEqual([
      ["ERR_INVALID_VALUE", "plan"],
      ["ERR_INVALID_VALUE", "admin"],
    ]);
  });

  it("creates one account when two links of an address are verified concurrently", async () => {
    const email = "twice@example.com";
    await server.client()(signup, { body: { email } });
    const first = await server.linkToken(email);
    await server.client()(signup, { body: { email } });
    const second = await server.linkToken(email);
    expect(first).not.toBe(second);
    const results = await Promise.allSettled(
      [first, second].map((magicLinkToken) => server.client()(verifyMagicLink, { body: { magicLinkToken } })),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await server.query("select id from users where email = $1", [email])).toHaveLength(1);
  });

  it("returns ERR_OIDC_NOT_CONFIGURED without single sign-on [S7.8] [S8.9]", async () => {
    const { organizationID } = await server.signUp();
    for (const orgID of [organizationID, "org-unknown"])
      expect(await errorCodesOf(server.client()(startOidc, { params: { orgID } }))).toEqual([
        "ERR_OIDC_NOT_CONFIGURED",
      ]);
  });
});

describe("whether an address has an account", () => {
  /** Statements that check connections can run at any time. */
  const isCheck = (text: string) => /^select (1$|extract\(epoch)/.test(text);

  /** The statements that this server runs during one request. Other servers here work in the background. */
  async function statementsOf(from: TestServer, call: () => Promise<unknown>): Promise<string[]> {
    const [own] = await from.query<{ name: string }>("select current_database() as name");
    const query = vi.spyOn(pg.Client.prototype, "query");
    try {
      await call();
      const { calls, contexts } = query.mock;
      return calls
        .filter((_, index) => (contexts[index] as pg.Client).database === own?.name)
        .map(([text]: unknown[]) => String(text))
        .filter((text) => !isCheck(text));
    } finally {
      query.mockRestore();
    }
  }

  it("cannot be seen from the response or the work: the same statements run for known and unknown addresses", async () => {
    const quiet = await startTestServer();
    try {
      const { email } = await quiet.signUp();
      await quiet.app.outbox.stop();
      for (const call of [signup, sendMagicLink]) {
        const ask = (address: string) => () => quiet.client()(call, { body: { email: address } });
        const known = await statementsOf(quiet, ask(email));
        const unknown = await statementsOf(quiet, ask("unknown@example.com"));
        expect(known.length).toBeGreaterThan(0);
        expect(unknown).toEqual(known);
      }
    } finally {
      await quiet.close();
    }
  });

  it("cannot be seen from mail: an unknown address gets no login link [S7.4]", async () => {
    await server.app.outbox.drain();
    const before = server.mails.length;
    expect(await server.client()(sendMagicLink, { body: { email: "stranger@example.com" } })).toEqual({});
    await server.app.outbox.drain();
    expect(server.mails).toHaveLength(before);
    expect(await countOf(server, "mail_jobs")).toBe("0");
  });
});

describe("where sign-up is not open", () => {
  const byInvitation = [{ code: "ERR_FORBIDDEN", message: "sign-up is closed: ask for an invitation" }];

  it("SIGNUP=first allows exactly one account, also when two verify concurrently", async () => {
    const server = await startTestServer({ environment: { SIGNUP: "first" } });
    try {
      const emails = ["one@example.com", "two@example.com"];
      for (const email of emails) await server.client()(signup, { body: { email } });
      const tokens = await Promise.all(emails.map((email) => server.linkToken(email)));
      const results = await Promise.allSettled(
        tokens.map((magicLinkToken) => server.client()(verifyMagicLink, { body: { magicLinkToken } })),
      );
      expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      expect(results.find((result) => result.status === "rejected")?.reason).toMatchObject({
        errors: byInvitation,
      });
      expect(await countOf(server, "users")).toBe("1");

      expect(await errorsOf(server.client()(signup, { body: { email: "three@example.com" } }))).toEqual(
        byInvitation,
      );
      expect(await errorsOf(server.client()(signup, { body: { email: "one@example.com" } }))).toEqual(
        byInvitation,
      );
    } finally {
      await server.close();
    }
  });

  it("SIGNUP=closed allows no new accounts, and existing accounts can still log in", async () => {
    const open = await startTestServer();
    const closed = await startTestServer({ environment: { SIGNUP: "closed" }, database: open.database });
    try {
      const { email } = await open.signUp();
      expect(await errorsOf(closed.client()(signup, { body: { email: "new@example.com" } }))).toEqual(
        byInvitation,
      );
      await closed.client()(sendMagicLink, { body: { email } });
      const magicLinkToken = await closed.linkToken(email);
      expect(await closed.client()(verifyMagicLink, { body: { magicLinkToken } })).toHaveProperty(
        "sessionToken",
      );
    } finally {
      await closed.close();
      await open.close();
    }
  });
});

it("gives organizations on servers that are not local the self-hosted plan", async () => {
  const server = await startTestServer({
    environment: {
      ...PRODUCTION,
      APP_ENV: "alpha",
      SIGNUP: "open",
    },
  });
  try {
    const { call, organizationID } = await server.signUp();
    expect((await call(whoami)).organization).toMatchObject({ id: organizationID, plan: "selfHosted" });
    expect(server.mails.at(-1)?.text).toContain(
      "https://console.example.com/auth/magic-link?magicLinkToken=",
    );
  } finally {
    await server.close();
  }
});
