import {
  type Client,
  createRecoveryCodes,
  getRecoveryCodes,
  listAuditLogs,
  listNetworks,
  logInWithRecoveryCode,
  logInWithTotp,
  signup,
  verifyMagicLink,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { logInByLink } from "../../testing/logins.ts";
import { errorCodesOf } from "../../testing/request-errors.ts";
import { HOUR_MS, MINUTE_MS, type Session, startTestServer, type TestServer } from "../../testing/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ frozen: true });
});
afterAll(() => server.close());

const submitCode = (half: Client, code: string) => half(logInWithRecoveryCode, { body: { code } });

/** Someone with recovery codes, and a session of theirs without its second factor. */
async function withCodes(): Promise<Session & { codes: string[]; half: Client; halfToken: string }> {
  const session = await server.signUp();
  const { codes } = await session.call(createRecoveryCodes);
  const halfToken = await logInByLink(server, session.email);
  return { ...session, codes, halfToken, half: server.client(halfToken) };
}

const factorsOf = ({ organizationID }: Session) =>
  server.query(
    `select event_type, after from audit_logs
     where organization_id = $1 and (after ->> 'factor' = 'recoveryCode' or event_type = 'CREATED_RECOVERY_CODES')
     order by created_at`,
    [organizationID],
  );

describe("recovery codes", () => {
  it("are ten different codes of 120 bits, of which only the number is known later", async () => {
    const { call, codes } = await withCodes();
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^([A-Z2-7]{4}-){5}[A-Z2-7]{4}$/);
    const known = await call(getRecoveryCodes);
    expect(known).toEqual({ unusedCount: 10, createdAt: server.ctx.clock().toISOString() });
  });

  it("don't exist until they are generated", async () => {
    const { call } = await server.signUp();
    expect(await call(getRecoveryCodes)).toEqual({ unusedCount: 0, createdAt: null });
  });

  it("complete a login once each, in any spelling, with an audit entry and an email", async () => {
    const person = await withCodes();
    const [code = "", other = ""] = person.codes;
    const { authToken, unusedCount } = await submitCode(
      person.half,
      ` ${code.toLowerCase().replaceAll("-", " ")}`,
    );
    expect(unusedCount).toBe(9);
    const call = server.client(person.halfToken, authToken);
    expect((await call(listNetworks)).data).toEqual([]);
    expect(await errorCodesOf(submitCode(person.half, code))).toEqual(["ERR_INVALID_RECOVERY_CODE"]);
    expect(await submitCode(person.half, other)).toMatchObject({ unusedCount: 8 });
    const used = (unused: number) => ({
      event_type: "SUCCEEDED_AUTH",
      after: { factor: "recoveryCode", unusedRecoveryCodes: unused },
    });
    expect(await factorsOf(person)).toEqual([
      { event_type: "CREATED_RECOVERY_CODES", after: { email: person.email, unusedRecoveryCodes: 10 } },
      used(9),
      { event_type: "FAILED_AUTH", after: { factor: "recoveryCode" } },
      used(8),
    ]);
    await server.app.outbox.drain();
    const notices = server.mails.filter(
      ({ to, subject }) =>
        to === person.email && subject === "Recovery code used for your Lightkeeper account",
    );
    expect(notices).toHaveLength(2);
    expect(notices[0]?.text).toContain("You have 9 unused recovery codes left.");
    const { data } = await call(listAuditLogs);
    expect(JSON.stringify(data)).not.toContain(code);
  });

  it("count as a recent second factor, so that a lost authenticator can be replaced", async () => {
    const { half, halfToken, codes } = await withCodes();
    const { authToken } = await submitCode(half, codes[0] ?? "");
    expect((await server.client(halfToken, authToken)(createRecoveryCodes)).codes).toHaveLength(10);
  });

  it("are accepted once when one is sent five times concurrently", async () => {
    const { half, codes, call } = await withCodes();
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, () => submitCode(half, codes[0] ?? "")),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await call(getRecoveryCodes)).toMatchObject({ unusedCount: 9 });
  });

  it("are replaced by new ones, also when they are generated twice at the same time", async () => {
    const { half, codes, call } = await withCodes();
    const pairs = await Promise.all([call(createRecoveryCodes), call(createRecoveryCodes)]);
    expect(await call(getRecoveryCodes)).toMatchObject({ unusedCount: 10 });
    expect(await errorCodesOf(submitCode(half, codes[0] ?? ""))).toEqual(["ERR_INVALID_RECOVERY_CODE"]);
    const results = await Promise.allSettled(pairs.map((pair) => submitCode(half, pair.codes[0] ?? "")));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  it("work for their own user only", async () => {
    const [one, two] = [await withCodes(), await withCodes()];
    expect(await errorCodesOf(submitCode(one.half, two.codes[0] ?? ""))).toEqual([
      "ERR_INVALID_RECOVERY_CODE",
    ]);
    expect(await two.call(getRecoveryCodes)).toMatchObject({ unusedCount: 10 });
  });

  it("are limited together with the codes of authenticators", async () => {
    const { half, codes, totpSecret } = await withCodes();
    server.advance(MINUTE_MS);
    for (let attempt = 0; attempt < 5; attempt++) {
      await submitCode(half, "AAAA-AAAA-AAAA-AAAA").catch(() => undefined);
      await half(logInWithTotp, { body: { code: "wrong" } }).catch(() => undefined);
    }
    expect(await errorCodesOf(submitCode(half, codes[0] ?? ""))).toEqual(["ERR_TOO_MANY_REQUESTS"]);
    server.advance(15 * MINUTE_MS);
    expect(await submitCode(half, codes[0] ?? "")).toMatchObject({ unusedCount: 9 });
    expect(await half(logInWithTotp, { body: { code: server.code(totpSecret) } })).toHaveProperty(
      "authToken",
    );
  });

  it("need a recent second factor to be generated", async () => {
    const { call, half } = await withCodes();
    expect(await errorCodesOf(half(createRecoveryCodes))).toEqual(["ERR_2FA_REQUIRED"]);
    expect(await errorCodesOf(half(getRecoveryCodes))).toEqual(["ERR_2FA_REQUIRED"]);
    server.advance(HOUR_MS + 1);
    expect(await errorCodesOf(call(createRecoveryCodes))).toEqual(["ERR_2FA_RENEWAL_REQUIRED"]);
    expect(await call(getRecoveryCodes)).toMatchObject({ unusedCount: 10 });
  });

  it("don't replace setting up the first authenticator", async () => {
    const email = "new@example.com";
    await server.client()(signup, { body: { email } });
    const body = { magicLinkToken: await server.linkToken(email) };
    const { sessionToken } = await server.client()(verifyMagicLink, { body });
    const half = server.client(sessionToken);
    expect(await errorCodesOf(submitCode(half, "AAAA-AAAA-AAAA-AAAA"))).toEqual([
      "ERR_2FA_ENROLLMENT_REQUIRED",
    ]);
    expect(await errorCodesOf(half(createRecoveryCodes))).toEqual(["ERR_2FA_REQUIRED"]);
  });

  it.each([["x".repeat(65)], [7], [null]])("reject the invalid input %s", async (code) => {
    const { half } = await withCodes();
    const [error] = await errorCodesOf(half(logInWithRecoveryCode, { body: { code: code as string } }));
    expect(error).toMatch(/^ERR_INVALID_VALUE/);
  });
});
