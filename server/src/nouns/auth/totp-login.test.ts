import {
  type Client,
  createTotpAuthenticator,
  listNetworks,
  logInWithTotp,
  signup,
  verifyMagicLink,
  verifyTotpAuthenticator,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requestErrorOf, errorsOf, errorCodesOf } from "../../testing/request-errors.ts";
import {
  MINUTE_MS,
  type Session,
  startTestServer,
  type TestServer,
  wrongCode,
} from "../../testing/server.ts";
import { logInByLink } from "../../testing/logins.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ frozen: true });
});
afterAll(() => server.close());

const notValid = [
  { code: "ERR_INVALID_TOTP_CODE", message: "the code is invalid; enter the current one", path: "code" },
];
const tooMany = [{ code: "ERR_TOO_MANY_REQUESTS", message: "too many requests" }];
const STEP_MS = 30_000;

/** A session without its second factor, five minutes after the authenticator was registered. */
async function startHalfSession(): Promise<Session & { half: Client }> {
  const session = await server.signUp();
  const sessionToken = await logInByLink(server, session.email);
  server.advance(5 * MINUTE_MS);
  return { ...session, userToken: sessionToken, half: server.client(sessionToken) };
}

const submitCode = (half: Client, code: string) => half(logInWithTotp, { body: { code } });
const wrongCodeOf = (secret: string) => wrongCode(server, secret);

describe("the second factor", () => {
  it("completes a session [S7.7] [S4.5]", async () => {
    const { half, userToken, totpSecret, organizationID } = await startHalfSession();
    const { authToken } = await submitCode(half, server.code(totpSecret));
    expect((await server.client(userToken, authToken)(listNetworks)).data).toEqual([]);
    const entries = await server.query(
      "select event_type from audit_logs where organization_id = $1 and after ->> 'factor' = 'totp'",
      [organizationID],
    );
    expect(entries).toEqual([{ event_type: "SUCCEEDED_AUTH" }]);
  });

  it("may be one step early or late, not two", async () => {
    const { half, totpSecret } = await startHalfSession();
    for (const steps of [-2, 2])
      expect(await errorsOf(submitCode(half, server.code(totpSecret, steps)))).toEqual(notValid);
    for (const steps of [-1, 0, 1])
      expect(await submitCode(half, server.code(totpSecret, steps))).toHaveProperty("authToken");
  });

  it("accepts each code once, and no code older than the last used code [S5.5]", async () => {
    const { half, totpSecret } = await startHalfSession();
    await submitCode(half, server.code(totpSecret));
    expect(await errorsOf(submitCode(half, server.code(totpSecret)))).toEqual(notValid);
    expect(await errorsOf(submitCode(half, server.code(totpSecret, -1)))).toEqual(notValid);
  });

  it("accepts a code once when it is sent five times concurrently", async () => {
    const { half, totpSecret } = await startHalfSession();
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, () => submitCode(half, server.code(totpSecret))),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  it("may come from any of the user's authenticators, but not from another user's", async () => {
    const { half, call } = await startHalfSession();
    const { totpToken, secret } = await call(createTotpAuthenticator, { body: {} });
    await call(verifyTotpAuthenticator, { body: { totpToken, code: server.code(secret) } });
    server.advance(STEP_MS);
    const stranger = await startHalfSession();
    expect(await errorsOf(submitCode(half, server.code(stranger.totpSecret)))).toEqual(notValid);
    expect(await submitCode(half, server.code(secret))).toHaveProperty("authToken");
  });

  it("has to be set up first [S8.8]", async () => {
    await server.client()(signup, { body: { email: "bare@example.com" } });
    const body = { magicLinkToken: await server.linkToken("bare@example.com") };
    const { sessionToken } = await server.client()(verifyMagicLink, { body });
    const rejected = await errorCodesOf(submitCode(server.client(sessionToken), "000000"));
    expect(rejected).toEqual(["ERR_2FA_ENROLLMENT_REQUIRED"]);
  });

  it("requires a user token and accepts no other token", async () => {
    const { totpSecret, authToken } = await startHalfSession();
    for (const client of [server.client(), server.client("rubbish"), server.client(authToken)])
      expect(await errorCodesOf(submitCode(client, server.code(totpSecret)))).toEqual(["ERR_UNAUTHORIZED"]);
  });
});

describe("guessing codes", () => {
  it("is blocked after ten wrong codes with 429 and Retry-After, even for the right code, for 15 minutes", async () => {
    const { half, totpSecret, organizationID } = await startHalfSession();
    for (let guess = 0; guess < 10; guess++)
      expect(await errorsOf(submitCode(half, wrongCodeOf(totpSecret)))).toEqual(notValid);
    server.advance(MINUTE_MS);
    const locked = await requestErrorOf(submitCode(half, server.code(totpSecret)));
    expect(locked.response.status).toBe(429);
    expect(locked.response.headers.get("retry-after")).toBe(String(14 * 60));
    expect(locked.errors).toEqual(tooMany);
    const failed = "select id from audit_logs where organization_id = $1 and event_type = 'FAILED_AUTH'";
    expect(await server.query(failed, [organizationID])).toHaveLength(10);

    server.advance(14 * MINUTE_MS - 1);
    expect(await errorsOf(submitCode(half, server.code(totpSecret)))).toEqual(tooMany);
    server.advance(1);
    expect(await submitCode(half, server.code(totpSecret))).toHaveProperty("authToken");
  });

  it("stays limited with thirty concurrent guesses", async () => {
    const { half, totpSecret } = await startHalfSession();
    const code = wrongCodeOf(totpSecret);
    const rejected = await Promise.all(
      Array.from({ length: 30 }, () => errorCodesOf(submitCode(half, code))),
    );
    expect(rejected.filter(([first]) => first === "ERR_INVALID_TOTP_CODE")).toHaveLength(10);
    expect(rejected.filter(([first]) => first === "ERR_TOO_MANY_REQUESTS")).toHaveLength(20);
  });

  it("is counted per user across all of their sessions", async () => {
    const victim = await startHalfSession();
    for (let guess = 0; guess < 10; guess++)
      await errorsOf(submitCode(victim.half, wrongCodeOf(victim.totpSecret)));
    const whole = server.client(victim.userToken, victim.authToken);
    expect(await errorsOf(submitCode(whole, server.code(victim.totpSecret)))).toEqual(tooMany);
    const other = await startHalfSession();
    expect(await submitCode(other.half, server.code(other.totpSecret))).toHaveProperty("authToken");
  });

  it("includes the codes of an authenticator setup", async () => {
    const { call, half, totpSecret } = await startHalfSession();
    const { totpToken, secret } = await call(createTotpAuthenticator, { body: {} });
    const body = { totpToken, code: wrongCodeOf(secret) };
    for (let guess = 0; guess < 10; guess++)
      expect(await errorsOf(call(verifyTotpAuthenticator, { body }))).toEqual(notValid);
    expect(await errorsOf(call(verifyTotpAuthenticator, { body }))).toEqual(tooMany);
    expect(await errorsOf(submitCode(half, server.code(totpSecret)))).toEqual(tooMany);
  });

  it("does not count right codes", async () => {
    const { half, totpSecret } = await startHalfSession();
    for (let login = 0; login < 12; login++) {
      server.advance(STEP_MS);
      await submitCode(half, server.code(totpSecret));
    }
    for (let guess = 0; guess < 10; guess++)
      expect(await errorsOf(submitCode(half, wrongCodeOf(totpSecret)))).toEqual(notValid);
    expect(await errorsOf(submitCode(half, wrongCodeOf(totpSecret)))).toEqual(tooMany);
  });
});
