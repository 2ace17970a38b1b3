import { AUTH_TOKEN_DAYS, listNetworks, sendMagicLink, signOut, whoami } from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deleteExpired } from "../../app/background.ts";
import { errorCodesOf } from "../../testing/request-errors.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, renew, startTestServer, type TestServer } from "../../testing/server.ts";
import { logInByLink } from "../../testing/logins.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ frozen: true });
});
afterAll(() => server.close());

describe("an auth token", () => {
  it("is valid for 0.67 days (16 hours); then the second factor is required [S9.4]", async () => {
    const session = await server.signUp();
    server.advance(16 * HOUR_MS);
    expect((await session.call(listNetworks)).data).toEqual([]);
    server.advance(AUTH_TOKEN_DAYS * DAY_MS - 16 * HOUR_MS);
    expect(await errorCodesOf(session.call(listNetworks))).toEqual(["ERR_2FA_REQUIRED"]);
    expect(await errorCodesOf(session.call(whoami))).toEqual(["ERR_2FA_REQUIRED"]);
    const again = await renew(server, session);
    expect((await again.call(whoami)).actor.id).toBe(session.userID);
  });

  it("of another login replaces the earlier one of its session after a minute, and no other", async () => {
    const session = await server.signUp();
    const second = await renew(server, { ...session, userToken: await logInByLink(server, session.email) });
    const renewed = await renew(server, session);
    server.advance(MINUTE_MS - 1);
    expect((await session.call(whoami)).actor.id).toBe(session.userID);
    server.advance(1);
    expect(await errorCodesOf(session.call(whoami))).toEqual(["ERR_2FA_REQUIRED"]);
    for (const { call } of [renewed, second]) expect((await call(whoami)).actor.id).toBe(session.userID);
  });

  it("is valid only with its own session", async () => {
    const session = await server.signUp();
    const stranger = await server.signUp();
    const second = await logInByLink(server, session.email);
    for (const userToken of [stranger.userToken, second]) {
      const mixed = server.client(userToken, session.authToken);
      expect(await errorCodesOf(mixed(listNetworks))).toEqual(["ERR_2FA_REQUIRED"]);
      expect(await errorCodesOf(mixed(whoami))).toEqual(["ERR_2FA_REQUIRED"]);
    }
  });

  it("is not accepted alone or in place of the user token", async () => {
    const { authToken, userToken } = await server.signUp();
    for (const tokens of [[authToken], [authToken, userToken], [authToken, authToken]])
      expect(await errorCodesOf(server.client(...tokens)(whoami))).toEqual(["ERR_UNAUTHORIZED"]);
  });
});

describe("a session", () => {
  it("lasts 3650 days while it is used [S9.4]", async () => {
    const { userToken, userID } = await server.signUp();
    const half = server.client(userToken);
    for (let year = 0; year < 9; year++) {
      server.advance(399 * DAY_MS);
      expect((await half(whoami)).actor.id).toBe(userID);
    }
    server.advance((3650 - 9 * 399) * DAY_MS - 1);
    expect((await half(whoami)).actor.id).toBe(userID);
    server.advance(1);
    expect(await errorCodesOf(half(whoami))).toEqual(["ERR_UNAUTHORIZED"]);
  });

  it("expires after 400 days without use", async () => {
    const { userToken } = await server.signUp();
    server.advance(400 * DAY_MS);
    expect(await errorCodesOf(server.client(userToken)(whoami))).toEqual(["ERR_UNAUTHORIZED"]);
  });

  it("is deleted with its tokens after it expires, and no other session is", async () => {
    const old = await server.signUp();
    await server.client()(sendMagicLink, { body: { email: old.email } });
    await server.linkToken(old.email);
    server.advance(400 * DAY_MS);
    const current = await server.signUp();
    await deleteExpired(server.ctx);
    const left = await server.query<{ user_id: string }>(
      "select user_id from sessions join auth_tokens on session_id = sessions.id",
    );
    expect(left).toEqual([{ user_id: current.userID }]);
    for (const table of ["magic_links", "totp_setups"])
      expect(await server.query(`select * from ${table}`)).toEqual([]);
  });
});

describe("whoami", () => {
  it("returns the user and organization for a user token alone [S7.21] [S3.2]", async () => {
    const { userToken, userID, email, organizationID, call } = await server.signUp();
    const half = await server.client(userToken)(whoami);
    const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
    expect(half).toEqual({
      actorType: "user",
      actor: {
        id: userID,
        email,
        type: "user",
        role: "owner",
        hasTOTPAuthenticator: true,
        createdAt: instant,
      },
      organization: { id: organizationID, name: "example.com", plan: "free", createdAt: instant },
    });
    expect(await call(whoami)).toEqual(half);
  });

  it.each([
    [undefined],
    ["rubbish"],
    ["Bearer"],
    ["Bearer a b c"],
    ["Basic YTpi"],
    ["Bearer \u00e9"],
    [`Bearer ${"x".repeat(129)}`],
  ])("returns 401 for the header %j [S7.1]", async (authorization) => {
    const headers = new Headers();
    if (authorization !== undefined) headers.set("authorization", authorization);
    const response = await fetch(`${server.url}/v2/whoami`, { headers });
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({
      errors: [{ code: "ERR_UNAUTHORIZED", message: "missing or invalid credentials" }],
    });
  });

  it("never reads a cookie", async () => {
    const { userToken, authToken } = await server.signUp();
    const headers = { cookie: `usertoken=${userToken}; authtoken=${authToken}` };
    expect((await fetch(`${server.url}/v2/whoami`, { headers })).status).toBe(401);
  });
});

describe("signing out", () => {
  it("ends the session and its auth tokens, and only those [S7.6] [S4.12]", async () => {
    const session = await server.signUp();
    const other = await logInByLink(server, session.email);
    expect(await session.call(signOut)).toEqual({});
    expect(await errorCodesOf(session.call(whoami))).toEqual(["ERR_UNAUTHORIZED"]);
    expect(await errorCodesOf(server.client(session.userToken)(whoami))).toEqual(["ERR_UNAUTHORIZED"]);
    expect((await server.client(other)(whoami)).actor.id).toBe(session.userID);
  });

  it("works without a second factor", async () => {
    const { userToken } = await server.signUp();
    expect(await server.client(userToken)(signOut)).toEqual({});
    expect(await errorCodesOf(server.client(userToken)(whoami))).toEqual(["ERR_UNAUTHORIZED"]);
  });

  it("works with an expired auth token", async () => {
    const { call, userToken } = await server.signUp();
    server.advance(DAY_MS);
    expect(await call(signOut)).toEqual({});
    expect(await errorCodesOf(server.client(userToken)(whoami))).toEqual(["ERR_UNAUTHORIZED"]);
  });

  it("revokes every presented token, even if only one token is still valid", async () => {
    const session = await server.signUp();
    const other = await server.signUp();
    expect(await server.client(session.userToken, other.authToken)(signOut)).toEqual({});
    expect(await errorCodesOf(other.call(listNetworks))).toEqual(["ERR_2FA_REQUIRED"]);
    const third = await server.signUp();
    expect(await server.client("gone", third.authToken)(signOut)).toEqual({});
    expect(await errorCodesOf(third.call(listNetworks))).toEqual(["ERR_2FA_REQUIRED"]);
  });

  it("is rejected without a valid token", async () => {
    const { call } = await server.signUp();
    await call(signOut);
    for (const again of [call, server.client(), server.client("rubbish")])
      expect(await errorCodesOf(again(signOut))).toEqual(["ERR_UNAUTHORIZED"]);
  });
});
