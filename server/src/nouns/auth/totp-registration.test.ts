import {
  createTotpAuthenticator,
  listAuditLogs,
  listTotpAuthenticators,
  logInWithTotp,
  signup,
  verifyMagicLink,
  verifyTotpAuthenticator,
  whoami,
  type Client,
} from "@lightkeeper/contract";
import { URI } from "otpauth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorsOf, errorCodesOf } from "../../testing/request-errors.ts";
import { MINUTE_MS, type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { addAuthenticator, logInByLink } from "../../testing/logins.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ frozen: true });
});
afterAll(() => server.close());

let newAccounts = 0;
/** Signs up without a second factor. */
async function signUpWithoutFactor(): Promise<{ half: Client; sessionToken: string; email: string }> {
  const email = `newcomer${++newAccounts}@example.com`;
  await server.client()(signup, { body: { email } });
  const body = { magicLinkToken: await server.linkToken(email) };
  const { sessionToken } = await server.client()(verifyMagicLink, { body });
  return { half: server.client(sessionToken), sessionToken, email };
}

const startHalfSession = async ({ email }: Session) => server.client(await logInByLink(server, email));

const wrongCode = [
  { code: "ERR_INVALID_TOTP_CODE", message: "the code is invalid; enter the current one", path: "code" },
];
const wrongToken = [
  {
    code: "ERR_INVALID_TOTP_TOKEN",
    message: "the setup token is invalid or expired; start again",
    path: "totpToken",
  },
];

describe("the first authenticator", () => {
  it("is set up with a user token alone and completes the session [S7.19] [S7.20] [S4.5]", async () => {
    const { half, sessionToken, email } = await signUpWithoutFactor();
    const setup = await half(createTotpAuthenticator, { body: {} });
    expect(URI.parse(setup.url)).toMatchObject({
      issuer: "Lightkeeper",
      label: email,
      digits: 6,
      period: 30,
    });
    expect(URI.parse(setup.url).secret.base32).toBe(setup.secret);
    expect((await half(whoami)).actor).toMatchObject({ hasTOTPAuthenticator: false });

    const body = { totpToken: setup.totpToken, code: server.code(setup.secret) };
    const { authToken, authenticator } = await half(verifyTotpAuthenticator, { body });
    const call = server.client(sessionToken, authToken);
    expect((await call(whoami)).actor).toMatchObject({ hasTOTPAuthenticator: true });
    expect(await call(listTotpAuthenticators)).toEqual([authenticator]);
    expect(authenticator).toMatchObject({
      name: "Authenticator",
      lastUsedAt: server.ctx.clock().toISOString(),
    });
    const [entry] = (await call(listAuditLogs, { query: { pageSize: 1 } })).data;
    expect(entry).toMatchObject({
      actor: { type: "user", email },
      target: { type: "totp", id: authenticator.id },
      event: { type: "CREATED_TOTP", before: null, after: { name: "Authenticator" } },
    });
  });

  it("accepts a code with spaces, as authenticators show them", async () => {
    const { half } = await signUpWithoutFactor();
    const { totpToken, secret } = await half(createTotpAuthenticator, { body: { name: " Phone " } });
    const code = server.code(secret);
    const body = { totpToken, code: ` ${code.slice(0, 3)} ${code.slice(3)} ` };
    expect((await half(verifyTotpAuthenticator, { body })).authenticator.name).toBe("Phone");
  });

  it.each([["000000"], ["12345"], ["1234567"], ["abcdef"], [""], ["１２３４５６"]])(
    "rejects the code %j and can be tried again [S5.7]",
    async (code) => {
      const { half } = await signUpWithoutFactor();
      const { totpToken, secret } = await half(createTotpAuthenticator, { body: {} });
      expect(await errorsOf(half(verifyTotpAuthenticator, { body: { totpToken, code } }))).toEqual(wrongCode);
      await half(verifyTotpAuthenticator, { body: { totpToken, code: server.code(secret) } });
    },
  );

  it("can be finished within 10 minutes [S5.6]", async () => {
    const { half } = await signUpWithoutFactor();
    const inTime = await half(createTotpAuthenticator, { body: {} });
    server.advance(10 * MINUTE_MS);
    const late = { totpToken: inTime.totpToken, code: server.code(inTime.secret) };
    expect(await errorsOf(half(verifyTotpAuthenticator, { body: late }))).toEqual(wrongToken);
    const again = await half(createTotpAuthenticator, { body: {} });
    server.advance(10 * MINUTE_MS - 1);
    const body = { totpToken: again.totpToken, code: server.code(again.secret) };
    expect(await half(verifyTotpAuthenticator, { body })).toHaveProperty("authToken");
  });

  it("cannot be finished by another user, nor twice [S5.6]", async () => {
    const { half } = await signUpWithoutFactor();
    const { half: stranger } = await signUpWithoutFactor();
    const { totpToken, secret } = await half(createTotpAuthenticator, { body: {} });
    const body = { totpToken, code: server.code(secret) };
    expect(await errorsOf(stranger(verifyTotpAuthenticator, { body }))).toEqual(wrongToken);
    await half(verifyTotpAuthenticator, { body });
    expect(await errorCodesOf(half(verifyTotpAuthenticator, { body }))).toEqual(["ERR_2FA_REQUIRED"]);
  });

  it("does not accept the code of its setup for a login", async () => {
    const session = await server.signUp();
    const half = await startHalfSession(session);
    const code = server.code(session.totpSecret);
    expect(await errorsOf(half(logInWithTotp, { body: { code } }))).toEqual(wrongCode);
  });
});

describe("a further authenticator", () => {
  it("requires a complete session to start and to finish", async () => {
    const session = await server.signUp();
    const half = await startHalfSession(session);
    expect(await errorCodesOf(half(createTotpAuthenticator, { body: {} }))).toEqual(["ERR_2FA_REQUIRED"]);
    const { totpToken, secret } = await session.call(createTotpAuthenticator, { body: { name: "Second" } });
    const body = { totpToken, code: server.code(secret) };
    expect(await errorCodesOf(half(verifyTotpAuthenticator, { body }))).toEqual(["ERR_2FA_REQUIRED"]);
    await session.call(verifyTotpAuthenticator, { body });
    expect(await session.call(listTotpAuthenticators)).toHaveLength(2);
  });

  it("is rejected for a session without a second factor that started the setup earlier", async () => {
    const { half, sessionToken } = await signUpWithoutFactor();
    const early = await half(createTotpAuthenticator, { body: {} });
    await addAuthenticator(server, half, "Mine");
    const body = { totpToken: early.totpToken, code: server.code(early.secret) };
    expect(await errorCodesOf(server.client(sessionToken)(verifyTotpAuthenticator, { body }))).toEqual([
      "ERR_2FA_REQUIRED",
    ]);
  });

  it("is rejected beyond ten, with the limit, also when five finish concurrently [S8.16]", async () => {
    const { call } = await server.signUp();
    for (let index = 2; index <= 9; index++) await addAuthenticator(server, call, `Number ${index}`);
    const setups = await Promise.all(
      Array.from({ length: 5 }, () => call(createTotpAuthenticator, { body: { name: "Last" } })),
    );
    const results = await Promise.allSettled(
      setups.map(({ totpToken, secret }) =>
        call(verifyTotpAuthenticator, { body: { totpToken, code: server.code(secret) } }),
      ),
    );
    const limit = [{ code: "ERR_LIMIT_EXCEEDED", message: "limit exceeded", extra: { limit: 10 } }];
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const result of results)
      if (result.status === "rejected") expect(result.reason).toMatchObject({ errors: limit });
    expect(await call(listTotpAuthenticators)).toHaveLength(10);
    expect(await errorsOf(call(createTotpAuthenticator, { body: {} }))).toEqual(limit);
  });
});
