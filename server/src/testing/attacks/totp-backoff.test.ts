/** Guessing authenticator codes slowly, for days, with a user token from another person's mailbox. */
import {
  type Client,
  createTotpAuthenticator,
  logInWithTotp,
  verifyTotpAuthenticator,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../infrastructure/crypto/ids.ts";
import { requestErrorOf, outcomeOf, errorCodesOf } from "../request-errors.ts";
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  type Session,
  startTestServer,
  type TestServer,
  wrongCode,
} from "../server.ts";
import { logInByLink } from "../logins.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ frozen: true });
});
afterAll(() => server.close());

interface Victim extends Session {
  /** Logged in by the link alone. */
  withoutSecondFactor: Client;
}

async function createVictim(): Promise<Victim> {
  const session = await server.signUp();
  const sessionToken = await logInByLink(server, session.email);
  server.advance(MINUTE_MS);
  return { ...session, withoutSecondFactor: server.client(sessionToken) };
}

const guess = ({ withoutSecondFactor, totpSecret }: Victim) =>
  outcomeOf(withoutSecondFactor(logInWithTotp, { body: { code: wrongCode(server, totpSecret) } }));
const logIn = ({ withoutSecondFactor, totpSecret }: Victim) =>
  withoutSecondFactor(logInWithTotp, { body: { code: server.code(totpSecret) } });

/** As fast as ten wrong codes in 15 minutes allow; returns how many codes were checked. */
async function guessFor(victim: Victim, ms: number, pauseMs = 15 * MINUTE_MS): Promise<number> {
  let checked = 0;
  for (const end = server.ctx.clock().getTime() + ms; server.ctx.clock().getTime() < end;) {
    if ((await guess(victim)) === "ERR_INVALID_TOTP_CODE") checked++;
    else server.advance(Math.min(pauseMs, end - server.ctx.clock().getTime()));
  }
  return checked;
}

async function noticesFor(email: string) {
  await server.app.outbox.drain();
  return server.mails.filter(
    ({ to, subject }) => to === email && subject.includes("wrong authenticator codes"),
  );
}

async function insertOwner({ organizationID }: Session): Promise<string> {
  const email = `${newId("user").slice(-8).toLowerCase()}@example.com`;
  await server.query(
    "insert into users (id, organization_id, email, role, created_at) values ($1, $2, $3, 'owner', now())",
    [newId("user"), organizationID, email],
  );
  return email;
}

describe("wrong codes over days", () => {
  it("are limited to 30 in a day and 60 in 7 days, and then the right code is accepted again", async () => {
    const victim = await createVictim();
    expect(await guessFor(victim, DAY_MS)).toBe(30);
    expect(await guessFor(victim, DAY_MS)).toBe(30);
    expect(await guessFor(victim, 4 * DAY_MS, 6 * HOUR_MS)).toBe(0);
    const locked = await requestErrorOf(logIn(victim));
    expect(locked.response.status).toBe(429);
    expect(Number(locked.response.headers.get("retry-after"))).toBeGreaterThan(12 * 3600);
    server.advance(DAY_MS);
    expect(await logIn(victim)).toHaveProperty("authToken");
  }, 120_000);

  it("don't include requests that the 15-minute limit has already rejected", async () => {
    const victim = await createVictim();
    const outcomes = await Promise.all(Array.from({ length: 60 }, () => guess(victim)));
    expect(outcomes.filter((outcome) => outcome === "ERR_INVALID_TOTP_CODE")).toHaveLength(10);
    server.advance(15 * MINUTE_MS);
    expect(await logIn(victim)).toHaveProperty("authToken");
  });

  it("do not include right codes", async () => {
    const victim = await createVictim();
    for (let login = 0; login < 65; login++) {
      server.advance(MINUTE_MS);
      await logIn(victim);
    }
    expect(await guess(victim)).toBe("ERR_INVALID_TOTP_CODE");
  }, 60_000);
});

describe("the notice of too many wrong codes", () => {
  it("is sent once to the user and each other owner, and explains what happened and what to do", async () => {
    const victim = await createVictim();
    const owner = await insertOwner(victim);
    expect(await guessFor(victim, 12 * HOUR_MS)).toBe(30);
    for (const email of [victim.email, owner]) {
      const [notice, ...others] = await noticesFor(email);
      expect(others).toEqual([]);
      expect(notice?.text).toContain(`30 wrong authenticator codes were entered for ${victim.email}`);
      expect(notice?.text).toMatch(/Time: \w+ \d+, \d{4} at \d\d:\d\d UTC/);
      expect(notice?.text).toContain("IP address: 127.0.0.1");
      expect(notice?.text).toContain("Organization: example.com");
    }
    expect((await noticesFor(victim.email))[0]?.text).toContain("Change the password of your email account");
    expect((await noticesFor(owner))[0]?.text).toContain("Remove the member");

    await guessFor(victim, 6 * HOUR_MS);
    expect(await noticesFor(victim.email)).toHaveLength(1);
    server.advance(6 * HOUR_MS);
    expect(await guessFor(victim, DAY_MS)).toBe(30);
    const [, second, ...more] = await noticesFor(victim.email);
    expect(second?.text).toContain("60 wrong authenticator codes were entered");
    expect(more).toEqual([]);
  }, 120_000);

  it("is sent once when the last codes are guessed at the same time", async () => {
    const victim = await createVictim();
    for (let round = 0; round < 2; round++) {
      for (let code = 0; code < 10; code++) await guess(victim);
      server.advance(15 * MINUTE_MS);
    }
    expect(await noticesFor(victim.email)).toEqual([]);
    await Promise.all(Array.from({ length: 20 }, () => guess(victim)));
    expect(await noticesFor(victim.email)).toHaveLength(1);
  });

  it("is sent as well when the codes were for a new authenticator", async () => {
    const victim = await createVictim();
    const { totpToken, secret } = await victim.call(createTotpAuthenticator, { body: {} });
    for (let round = 0; round < 2; round++) {
      for (let code = 0; code < 10; code++) await guess(victim);
      server.advance(15 * MINUTE_MS);
    }
    const again = await victim.call(createTotpAuthenticator, { body: {} });
    expect(again.totpToken).not.toBe(totpToken);
    const body = { totpToken: again.totpToken, code: wrongCode(server, secret) };
    for (let code = 0; code < 10; code++)
      expect(await errorCodesOf(victim.call(verifyTotpAuthenticator, { body }))).toEqual([
        "ERR_INVALID_TOTP_CODE",
      ]);
    expect(await noticesFor(victim.email)).toHaveLength(1);
  });
});

describe("unfinished authenticator setups", () => {
  it("are limited to five: starting another setup deletes the oldest", async () => {
    const { call, userID } = await server.signUp();
    const setups: { totpToken: string; secret: string }[] = [];
    for (let index = 0; index < 7; index++) {
      setups.push(await call(createTotpAuthenticator, { body: { name: `Number ${index}` } }));
      server.advance(1000);
    }
    expect(await server.query("select id from totp_setups where user_id = $1", [userID])).toHaveLength(5);
    const finish = ({ totpToken, secret }: { totpToken: string; secret: string }) =>
      outcomeOf(call(verifyTotpAuthenticator, { body: { totpToken, code: server.code(secret) } }));
    expect(await finish(setups[1]!)).toBe("ERR_INVALID_TOTP_TOKEN");
    expect(await finish(setups[2]!)).toBe("done");
  });

  it("are limited to five, even if forty are started at the same time", async () => {
    const { call, userID } = await server.signUp();
    await Promise.all(Array.from({ length: 40 }, () => call(createTotpAuthenticator, { body: {} })));
    const open = await server.query("select id from totp_setups where user_id = $1", [userID]);
    expect(open.length).toBeGreaterThan(0);
    expect(open.length).toBeLessThanOrEqual(5);
  });
});
