import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  addressSubject,
  consume,
  deleteExpiredLimits,
  type Limit,
  limitByIP,
  refundAttempts,
} from "../../infrastructure/http/rate-limit.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, startTestServer, type TestServer } from "../server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ frozen: true });
});
afterAll(() => server.close());

const start = new Date("2027-01-01T00:00:00Z");
const after = (ms: number) => new Date(start.getTime() + ms);
const newLimit = (rest: Partial<Limit> = {}): Limit => ({
  name: "attack",
  subject: randomUUID(),
  max: 3,
  ...rest,
});
const attempt = (limit: Limit, now: Date) =>
  consume(server.ctx.unaudited, now, [limit]).then(
    () => "accepted",
    (error: { retryAfterSeconds: number }) => error.retryAfterSeconds,
  );

describe("several attempts at once", () => {
  const attemptTogether = (limit: Limit, attempts: number) =>
    consume(server.ctx.unaudited, start, [limit], attempts).then(
      () => "accepted",
      () => "rejected",
    );

  it("are accepted together, or none of them counts", async () => {
    const limit = newLimit({ max: 5 });
    expect(await attemptTogether(limit, 6)).toBe("rejected");
    expect(await attemptTogether(limit, 3)).toBe("accepted");
    expect(await attemptTogether(limit, 3)).toBe("rejected");
    expect(await attemptTogether(limit, 2)).toBe("accepted");
    expect(await attemptTogether(limit, 1)).toBe("rejected");
  });

  it("can be refunded together", async () => {
    const limit = newLimit({ max: 5 });
    await attemptTogether(limit, 5);
    await refundAttempts(server.ctx.unaudited, limit, 4);
    expect(await attemptTogether(limit, 5)).toBe("rejected");
    expect(await attemptTogether(limit, 4)).toBe("accepted");
  });
});

describe("a client with an IPv6 network", () => {
  it("counts as one address, however the address is written", () => {
    const subjects = [
      "2001:db8:12:34::1",
      "2001:DB8:12:34:ffff:ffff:ffff:ffff",
      "2001:0db8:0012:0034:0000:0000:0000:0002",
    ].map(addressSubject);
    expect(new Set(subjects)).toEqual(new Set(["2001:db8:12:34::/64"]));
    expect(addressSubject("2001:db8:12:35::1")).toBe("2001:db8:12:35::/64");
    expect(addressSubject("::1")).toBe("0:0:0:0::/64");
    expect(addressSubject("fe80::1%eth0")).toBe("fe80:0:0:0::/64");
  });

  it("doesn't affect IPv4 addresses, including mapped addresses", () => {
    expect(addressSubject("203.0.113.7")).toBe("203.0.113.7");
    expect(addressSubject("::ffff:203.0.113.7")).toBe("203.0.113.7");
  });

  it("cannot escape a limit by changing the last 64 bits", async () => {
    const limitOf = (index: number) =>
      limitByIP({ appEnv: "production" }, "rotating", `2001:db8::${index.toString(16)}`);
    const results = [];
    for (let index = 0; index < 31; index++) results.push(await attempt(limitOf(index), start));
    expect(results.slice(0, 30)).toEqual(Array<string>(30).fill("accepted"));
    expect(results[30]).toBe(900);
  });
});

describe("a limit over a day", () => {
  it("counts attempts that are hours apart and ends a day after the first", async () => {
    const limit = newLimit({ windowSeconds: DAY_MS / 1000 });
    for (const hours of [0, 7, 14]) expect(await attempt(limit, after(hours * HOUR_MS))).toBe("accepted");
    expect(await attempt(limit, after(21 * HOUR_MS))).toBe(3 * 3600);
    expect(await attempt(limit, after(DAY_MS + 1))).toBe("accepted");
  });

  it("is not deleted before its window has passed", async () => {
    const limit = newLimit({ windowSeconds: DAY_MS / 1000, max: 1 });
    await attempt(limit, start);
    await deleteExpiredLimits(server.ctx.unaudited, after(20 * HOUR_MS));
    expect(await attempt(limit, after(20 * HOUR_MS))).toBe(4 * 3600);
  });
});

describe("a clock that was two hours ahead and is set back", () => {
  it("locks no client out", async () => {
    const limit = newLimit();
    for (let index = 0; index < 3; index++) await attempt(limit, after(2 * HOUR_MS));
    expect(await attempt(limit, after(2 * HOUR_MS))).toBe(900);
    expect(await attempt(limit, start)).toBe("accepted");
  });

  it("still counts attempts recorded by a process whose clock is seconds ahead", async () => {
    const limit = newLimit({ max: 1 });
    await attempt(limit, after(MINUTE_MS / 2));
    expect(await attempt(limit, start)).not.toBe("accepted");
  });
});
