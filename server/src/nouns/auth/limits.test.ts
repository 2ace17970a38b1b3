import { randomBytes } from "node:crypto";
import { reportClientError, sendMagicLink, signup, startOidc, verifyMagicLink } from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deleteExpired } from "../../app/background.ts";
import { PRODUCTION } from "../../testing/production.ts";
import { requestErrorOf, errorCodesOf } from "../../testing/request-errors.ts";
import { MINUTE_MS, startTestServer, type TestServer } from "../../testing/server.ts";

const production = {
  ...PRODUCTION,
  SIGNUP: "open",
  HOST: "0.0.0.0",
  SECRET_KEY: randomBytes(32).toString("base64"),
};

let one: TestServer;
let two: TestServer;
beforeAll(async () => {
  one = await startTestServer({ environment: production, frozen: true });
  // The first account needs a setup code; these tests are about the others.
  await one.signUp();
  two = await startTestServer({ environment: production, frozen: true, database: one.database });
});
afterAll(async () => {
  await two.close();
  await one.close();
});

/** Advances both servers to the next window of 15 minutes. */
const nextWindow = () => [one, two].forEach((server) => server.advance(15 * MINUTE_MS));
const repeat = async (times: number, work: (index: number) => Promise<unknown>) => {
  for (let index = 0; index < times; index++) await work(index);
};

describe.each([
  ["signup", signup],
  ["magic link", sendMagicLink],
])("requesting a %s", (_name, endpoint) => {
  it("is allowed 5 times in 15 minutes per email address, in any spelling, across two servers", async () => {
    nextWindow();
    const ask = (server: TestServer, email: string) => server.client()(endpoint, { body: { email } });
    await repeat(5, (index) => ask(index % 2 ? one : two, "target@example.com"));
    const rejected = await requestErrorOf(ask(one, " Target@Example.COM "));
    expect(rejected.response.status).toBe(429);
    expect(rejected.response.headers.get("retry-after")).toBe("900");
    expect(rejected.errors).toEqual([{ code: "ERR_TOO_MANY_REQUESTS", message: "too many requests" }]);
    expect(await errorCodesOf(ask(two, "target@example.com"))).toEqual(["ERR_TOO_MANY_REQUESTS"]);
    expect(await ask(two, "other@example.com")).toEqual({});
    nextWindow();
    expect(await ask(one, "target@example.com")).toEqual({});
  });

  it("is allowed 30 times in 15 minutes per IP address, despite forged headers, also concurrently", async () => {
    nextWindow();
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const response = await fetch(`${index % 2 ? one.url : two.url}${endpoint.path}`, {
          method: "POST",
          headers: { "x-forwarded-for": `203.0.113.${index}`, "x-real-ip": `203.0.113.${index}` },
          body: JSON.stringify({ email: `person${index}@${endpoint.path.length}.example.com` }),
        });
        return response.status;
      }),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(30);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  });
});

it("verifying links is allowed 30 times in 15 minutes per IP address", async () => {
  nextWindow();
  const attempt = () => errorCodesOf(one.client()(verifyMagicLink, { body: { magicLinkToken: "guess" } }));
  await repeat(30, async () => expect(await attempt()).toEqual(["ERR_INVALID_MAGIC_LINK_TOKEN"]));
  expect(await attempt()).toEqual(["ERR_TOO_MANY_REQUESTS"]);
});

it("starting single sign-on and reporting errors are limited by IP address", async () => {
  nextWindow();
  const start = () => errorCodesOf(one.client()(startOidc, { params: { orgID: "org-x" } }));
  await repeat(30, async () => expect(await start()).toEqual(["ERR_OIDC_NOT_CONFIGURED"]));
  expect(await start()).toEqual(["ERR_TOO_MANY_REQUESTS"]);
  const report = () => one.client()(reportClientError, { body: { message: "broken" } });
  await repeat(60, report);
  expect(await errorCodesOf(report())).toEqual(["ERR_TOO_MANY_REQUESTS"]);
});

it("a configured proxy may forward the client's address", async () => {
  const behind = await startTestServer({ environment: { ...production, TRUST_PROXY: "1" } });
  try {
    await behind.signUp();
    const ask = async (forwarded: string, index: number) => {
      const response = await fetch(`${behind.url}/v1/signup`, {
        method: "POST",
        headers: { "x-forwarded-for": forwarded },
        body: JSON.stringify({ email: `person${index}@proxied.example.com` }),
      });
      return response.status;
    };
    // Entries before the last hop are sent by the client and ignored.
    await repeat(30, async (index) => expect(await ask(`198.51.100.${index}, 203.0.113.7`, index)).toBe(200));
    expect(await ask("198.51.100.99, 203.0.113.7", 30)).toBe(429);
    expect(await ask("203.0.113.8", 31)).toBe(200);
  } finally {
    await behind.close();
  }
});

it("stores no addresses in plain text, and deletes expired counts", async () => {
  await one.client()(sendMagicLink, { body: { email: "private@example.com" } });
  const rows = await one.query<{ key: string }>("select key from rate_limits");
  expect(rows.length).toBeGreaterThan(0);
  for (const { key } of rows) expect(key).not.toMatch(/@|127\.0\.0\.1/);
  nextWindow();
  await deleteExpired(one.ctx);
  expect(await one.query("select key from rate_limits")).toEqual([]);
});

it("APP_ENV=local multiplies limits by IP address by 100, but not those by email address", async () => {
  const local = await startTestServer();
  try {
    await repeat(31, (index) =>
      local.client()(signup, { body: { email: `person${index}@local.example.com` } }),
    );
    await repeat(5, () => local.client()(sendMagicLink, { body: { email: "one@local.example.com" } }));
    const sixth = local.client()(sendMagicLink, { body: { email: "one@local.example.com" } });
    expect(await errorCodesOf(sixth)).toEqual(["ERR_TOO_MANY_REQUESTS"]);
  } finally {
    await local.close();
  }
});
