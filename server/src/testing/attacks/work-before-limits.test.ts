/** How much work the server does for a caller before it checks access and limits. */
import { createNetwork, logInWithTotp, updateMember, whoami } from "@lightkeeper/contract";
import * as z from "zod/mini";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "../../infrastructure/http/parse.ts";
import { allowances, createAllowance } from "../../infrastructure/http/request-rate.ts";
import { measureCpuMs } from "../cpu.ts";
import { PRODUCTION } from "../production.ts";
import { requestWithoutBody, rawRequest } from "../raw-request.ts";
import { requestErrorOf } from "../request-errors.ts";
import { insertApiKey } from "../api-keys.ts";
import { type Session, startTestServer, type TestServer } from "../server.ts";

const production = {
  ...PRODUCTION,
  SIGNUP: "open",
  SECRET_KEY: Buffer.alloc(32, 3).toString("base64"),
  TRUST_PROXY: "1",
};
const MIB = 1024 * 1024;

/** Just under 1 MiB. */
const unknownKeys = `{${Array.from({ length: 90_000 }, (_, index) => `"k${index}":1`).join()}}`;

let local: TestServer;
let server: TestServer;
let session: Session;
beforeAll(async () => {
  local = await startTestServer();
  server = await startTestServer({ environment: production });
  session = await server.signUp();
});
afterAll(async () => {
  await server.close();
  await local.close();
});

const codesIn = (body: Buffer) =>
  (JSON.parse(body.toString()) as { errors: { code: string }[] }).errors.map(({ code }) => code);
const from = (address: string) => ({ "x-forwarded-for": address });
const bearer = (...tokens: string[]) => ({ authorization: `Bearer ${tokens.join(" ")}` });

describe("a body of 90,000 unknown keys", () => {
  it("to a public endpoint costs less than parsing it would", async () => {
    const sizes = { small: '{"email":1}', large: unknownKeys };
    const send = (body: string) => rawRequest(`${local.url}/v1/signup`, { method: "POST", body });
    await send(sizes.large);
    const repeat = async (body: string) => {
      for (let count = 0; count < 10; count++) await send(body);
    };
    const parsing = (await measureCpuMs(() => JSON.parse(unknownKeys))) * 10;
    const attacked = await measureCpuMs(() => repeat(sizes.large));
    // Measured: 310 ms each when the limits were checked last, and 7 ms now, mostly for sending.
    expect(attacked).toBeLessThan(parsing / 2);
    expect((await send(sizes.large)).status).toBe(413);
  });

  it("to a user's endpoint costs little more than parsing it, and returns a single error", async () => {
    const value: unknown = JSON.parse(unknownKeys);
    const schema = z.strictObject({ name: z.string() });
    const check = () => expect(() => parse(schema, value, 50_000)).toThrow("ERR_INVALID_VALUE");
    check();
    const parsing = await measureCpuMs(() => JSON.parse(unknownKeys));
    expect(await measureCpuMs(check)).toBeLessThan(parsing);
    const headers = bearer(session.userToken, session.authToken);
    const rejected = await rawRequest(`${server.url}/v1/networks`, {
      method: "POST",
      headers,
      body: unknownKeys,
    });
    expect(JSON.parse(rejected.body.toString())).toEqual({
      errors: [{ code: "ERR_INVALID_VALUE", message: "has more than 50000 values" }],
    });
  });

  it("returns at most 20 errors", async () => {
    const keys = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`key${index}`, index]));
    const rejected = await requestErrorOf(session.call(createNetwork, { body: { name: "a", ...keys } }));
    expect(rejected.errors).toHaveLength(20);
  });

  it("to an agents' endpoint costs less than parsing it would", async () => {
    for (const path of ["/v2/enroll", "/v1/dnclient"]) {
      const send = () => rawRequest(`${local.url}${path}`, { method: "POST", body: unknownKeys });
      const { status, body } = await send();
      expect([status, codesIn(body)]).toEqual([400, ["ERR_INVALID_VALUE"]]);
      const parsing = (await measureCpuMs(() => JSON.parse(unknownKeys))) * 5;
      const attacked = await measureCpuMs(async () => {
        for (let count = 0; count < 5; count++) await send();
      });
      expect(attacked).toBeLessThan(parsing / 2);
    }
  });
});

describe("a body that is announced and never sent", () => {
  const announce = (path: string, headers: Record<string, string> = {}, method = "POST") =>
    requestWithoutBody(`${local.url}${path}`, { method, headers, bytes: MIB });

  it("is not awaited if the caller is unknown, the path does not exist or the method is wrong", async () => {
    expect((await announce("/v1/networks")).status).toBe(401);
    expect((await announce("/v1/networks", bearer("rubbish", "rubbish"))).status).toBe(401);
    expect((await announce("/v1/nothing")).status).toBe(404);
    expect((await announce("/nothing")).status).toBe(404);
    expect((await announce("/v1/networks", {}, "PATCH")).status).toBe(405);
  });

  it("is not awaited if the caller is not allowed", async () => {
    const owner = await local.signUp();
    const key = await insertApiKey(local, owner, ["networks:read"]);
    expect((await announce("/v1/networks", bearer(key.token))).status).toBe(403);
    expect((await announce("/v1/networks", bearer(owner.userToken))).status).toBe(401);
    const tokens = bearer(owner.userToken, owner.authToken);
    await local.query("update users set role = 'auditor' where id = $1", [owner.userID]);
    expect((await announce("/v1/networks", tokens)).status).toBe(403);
    expect((await announce(updateMember.path.replace(/\{.*\}/, "x"), tokens, "PUT")).status).toBe(403);
  });
});

describe("the largest body", () => {
  const send = (path: string, bytes: number) =>
    rawRequest(`${local.url}${path}`, { method: "POST", body: `{"a":"${"x".repeat(bytes - 8)}"}` });

  it.each([["/v1/signup"], ["/v1/auth/verify-magic-link"], ["/v1/client-errors"], ["/v2/enroll"]])(
    "of a caller who has not signed in, at %s, is 16 KiB",
    async (path) => {
      const rejected = await send(path, 16 * 1024 + 1);
      expect([rejected.status, JSON.parse(rejected.body.toString())]).toEqual([
        413,
        { errors: [{ code: "ERR_PAYLOAD_TOO_LARGE", message: "the body is larger than 16 KiB" }] },
      ]);
      expect((await send(path, 16 * 1024)).status).toBe(400);
    },
  );

  it("of a caller without the second factor is 16 KiB", async () => {
    const { userToken } = await local.signUp();
    const headers = bearer(userToken);
    const body = `{"code":"${"1".repeat(16 * 1024)}"}`;
    const rejected = await rawRequest(`${local.url}${logInWithTotp.path}`, { method: "POST", headers, body });
    expect(rejected.status).toBe(413);
  });

  it("of an agent's signed message is 1 MiB", async () => {
    const message = "A".repeat(900_000);
    const body = JSON.stringify({ version: 1, hostID: "host-x", counter: 1, message, signature: "AAAA" });
    expect((await rawRequest(`${local.url}/v1/dnclient`, { method: "POST", body })).status).toBe(401);
    expect((await send("/v1/dnclient", MIB + 1)).status).toBe(413);
  });
});

describe("a limit that does not depend on the body", () => {
  it("counts sign-ups with invalid bodies", async () => {
    const attempt = () =>
      rawRequest(`${server.url}/v1/signup`, {
        method: "POST",
        headers: from("203.0.113.1"),
        body: '{"colour":1}',
      });
    for (let count = 0; count < 30; count++) expect((await attempt()).status).toBe(400);
    const rejected = await attempt();
    expect([rejected.status, codesIn(rejected.body)]).toEqual([429, ["ERR_TOO_MANY_REQUESTS"]]);
    expect(Number(rejected.headers["retry-after"])).toBeGreaterThan(0);
  });

  it("is consumed before the body is read", async () => {
    const announced = await requestWithoutBody(`${server.url}/v1/signup`, {
      headers: from("203.0.113.1"),
      bytes: 1000,
    });
    expect(announced.status).toBe(429);
  });

  it("counts codes with invalid bodies", async () => {
    const { userToken } = await server.signUp();
    const attempt = () =>
      requestErrorOf(server.client(userToken)(logInWithTotp, { body: { code: 1 } as never }));
    const statuses: number[] = [];
    for (let count = 0; count < 11; count++) statuses.push((await attempt()).response.status);
    expect(statuses).toContain(429);
  });
});

describe("requests from one address", () => {
  const NOISY = "203.0.113.2";
  /** A large body counts as many requests, so a few are enough, even on a slow machine. */
  const exhaust = async (path: string, address: string) => {
    for (let count = 0; count < 2000; count++) {
      const answer = await requestWithoutBody(`${server.url}${path}`, { headers: from(address), bytes: MIB });
      if (answer.status === 429) return answer;
    }
    throw new Error("Nothing was rejected");
  };
  const sendFrom = async (address: string, path = "/healthz") =>
    rawRequest(`${server.url}${path}`, { headers: from(address) });

  it("are rejected before they are read, and soon accepted again", async () => {
    const { headers } = await exhaust("/v1/networks", NOISY);
    const retryAfter = Number(headers["retry-after"]);
    expect(retryAfter).toBeGreaterThanOrEqual(1);
    expect(retryAfter).toBeLessThan(5);
    expect(headers["x-request-id"]).toMatch(/^req-/);
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
  });

  it("do not count for another address, nor for agents behind the same address", async () => {
    await exhaust("/v1/networks", NOISY);
    const options = { method: "POST", headers: from(NOISY), body: "{}" };
    expect((await rawRequest(`${server.url}/v1/dnclient`, options)).status).toBe(400);
    expect((await sendFrom("203.0.113.3")).status).toBe(200);
    expect(await server.client(session.userToken, session.authToken)(whoami)).toBeDefined();
  });

  it("count together for an IPv6 network", async () => {
    await exhaust("/v1/networks", "2001:db8:7::1");
    const statuses = await Promise.all(
      Array.from({ length: 3 }, (_, index) =>
        requestWithoutBody(`${server.url}/v1/networks`, {
          headers: from(`2001:db8:7::${index + 2}`),
          bytes: MIB,
        }).then(({ status }) => status),
      ),
    );
    expect(statuses).toContain(429);
    expect((await sendFrom("2001:db8:8::1")).status).toBe(200);
  });
});

describe("an allowance", () => {
  it("allows a burst, rejects requests beyond it, and refills with time", () => {
    let nowMs = 0;
    const take = createAllowance({ burst: 10, perSecond: 2 }, { nowMs: () => nowMs });
    for (let count = 0; count < 10; count++) expect(take("192.0.2.1", 1)).toBe(0);
    expect(take("192.0.2.1", 1)).toBe(1);
    expect(take("192.0.2.1", 5)).toBe(3);
    expect(take("192.0.2.2", 1)).toBe(0);
    nowMs = 1000;
    expect([take("192.0.2.1", 1), take("192.0.2.1", 1), take("192.0.2.1", 1)]).toEqual([0, 0, 1]);
    nowMs = 3_600_000;
    for (let count = 0; count < 10; count++) expect(take("192.0.2.1", 1)).toBe(0);
    expect(take("192.0.2.1", 1)).toBe(1);
  });

  it("keeps a limited number of addresses, the most recently used", () => {
    const take = createAllowance({ burst: 1, perSecond: 1 }, { addressesMax: 2, nowMs: () => 0 });
    const addresses = ["192.0.2.1", "192.0.2.2", "192.0.2.3"];
    for (const address of addresses) expect(take(address, 1)).toBe(0);
    expect(take("192.0.2.3", 1)).toBe(1);
    expect(take("192.0.2.2", 1)).toBe(1);
    expect(take("192.0.2.1", 1)).toBe(0);
  });
});

it("10,000 agents behind one address can each send four requests at the same time", () => {
  const take = createAllowance(allowances.agents, { nowMs: () => 0 });
  const waits = Array.from({ length: 40_000 }, () => take("192.0.2.1", 1));
  expect(Math.max(...waits)).toBe(0);
});
