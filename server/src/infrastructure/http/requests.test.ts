import type { ErrorBody } from "@lightkeeper/contract";
import { endpoints } from "@lightkeeper/contract/endpoints";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { measureCpuMs } from "../../testing/cpu.ts";
import { rawBytes, rawRequest } from "../../testing/raw-request.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";

let server: TestServer;
let session: Session;
beforeAll(async () => {
  server = await startTestServer();
  session = await server.signUp();
});
afterAll(() => server.close());

interface Sent {
  status: number;
  headers: Headers;
  errors: ErrorBody["errors"];
}

async function send(
  method: string,
  path: string,
  body?: string,
  headers: Record<string, string> = {},
): Promise<Sent> {
  const authorization = `Bearer ${session.userToken} ${session.authToken}`;
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization, ...headers },
    ...(body !== undefined && { body }),
  });
  const { errors = [] } = (await response.json()) as Partial<ErrorBody>;
  return { status: response.status, headers: response.headers, errors };
}

const createNetwork = (body?: string, headers?: Record<string, string>) =>
  send("POST", "/v1/networks", body, headers);
const invalid = (path: string) => expect.objectContaining({ code: "ERR_INVALID_VALUE", path }) as object;

describe("a body", () => {
  it("is parsed as JSON with any content type, and without a content type", async () => {
    for (const [name, headers] of [
      ["plain", { "content-type": "text/plain" }],
      ["odd", { "content-type": "application/x-www-form-urlencoded" }],
      ["json", { "content-type": "application/json; charset=utf-8" }],
    ] as const)
      expect((await createNetwork(JSON.stringify({ name }), headers)).status).toBe(200);
    const bare = await rawRequest(`${server.url}/v1/networks`, {
      method: "POST",
      headers: { authorization: `Bearer ${session.userToken} ${session.authToken}` },
      body: JSON.stringify({ name: "bare" }),
    });
    expect(bare.status).toBe(200);
  });

  it.each([["{"], ["{'name':1}"], ['{"name":"a"}}'], ["name=a"], ["\ufeff{}"]])(
    "of %j is not JSON",
    async (body) => {
      const { status, errors } = await createNetwork(body);
      expect([status, errors]).toEqual([
        400,
        [{ code: "ERR_INVALID_JSON", message: "the request body isn't valid JSON" }],
      ]);
    },
  );

  it("that is missing or empty lacks the required fields", async () => {
    for (const body of [undefined, "", "{}"]) {
      const { status, errors } = await createNetwork(body);
      expect(status).toBe(400);
      expect(errors).toMatchObject([{ code: "ERR_INVALID_VALUE_LENGTH", path: "name" }]);
    }
  });

  it.each([["null"], ["[]"], ['"text"'], ["1"], ["true"]])("of %s is not an object", async (body) => {
    for (const path of ["/v1/networks", "/v1/totp-authenticators"]) {
      const { status, errors } = await send("POST", path, body);
      expect(status).toBe(400);
      expect(errors).toMatchObject([{ code: "ERR_INVALID_VALUE" }]);
      expect(errors[0]).not.toHaveProperty("path");
    }
  });

  it("is limited to 1 MiB", async () => {
    const padded = (bytes: number) => `{"name":"big"${" ".repeat(bytes - 14)}}`;
    const { status, errors } = await createNetwork(padded(1024 * 1024 + 1));
    expect([status, errors]).toEqual([
      413,
      [{ code: "ERR_PAYLOAD_TOO_LARGE", message: "the body is larger than 1 MiB" }],
    ]);
    expect((await createNetwork(padded(1024 * 1024))).status).toBe(200);
  });

  it("with the character U+0000 is rejected with its path", async () => {
    const { errors } = await createNetwork('{"name":"a\\u0000b"}');
    expect(errors).toEqual([
      { code: "ERR_INVALID_VALUE", message: "must not contain the character U+0000", path: "name" },
    ]);
    const nested = await send("POST", "/v2/networks", '{"name":"a","cidrs":["10.0.0.0/24","\\u0000"]}');
    expect(nested.errors).toEqual([invalid("cidrs[1]")]);
    const inKey = await createNetwork('{"name":"a","b\\u0000":1}');
    expect(inKey.errors).toEqual([invalid("b\u0000")]);
  });

  it.each([["__proto__"], ["constructor"], ["prototype"], ["toString"], ["hasOwnProperty"]])(
    "with the key %s is rejected like any unknown key",
    async (key) => {
      const { status, errors } = await createNetwork(`{"name":"Proto","${key}":{"polluted":true}}`);
      expect([status, errors]).toEqual([400, [invalid(key)]]);
      expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
    },
  );

  it.each([
    ["a hundred thousand brackets", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
    ["a hundred thousand objects", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
    ["very many nulls very deep", `${"[".repeat(2000)}${'"\\u0000",'.repeat(100_000)}1${"]".repeat(2000)}`],
  ])("of %s is rejected immediately", async (_name, body) => {
    const cpuMs = await measureCpuMs(async () => {
      const { status, errors } = await createNetwork(body);
      expect(status).toBe(400);
      expect(errors.length).toBeLessThanOrEqual(20);
    });
    expect(cpuMs).toBeLessThan(2000);
  });

  it("reports at most twenty problems", async () => {
    const body = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`key${index}`, 1]));
    expect((await createNetwork(JSON.stringify(body))).errors).toHaveLength(20);
  });
});

describe("a path", () => {
  it.each([["/v1/nothing"], ["/v1"], ["/v1/"], ["/v2/ghosts"], ["/v9/networks"], ["/v1/networks/a/b/c"]])(
    "of the API that does not exist, %s, returns 404 in JSON",
    async (path) => {
      const { status, errors, headers } = await send("GET", path);
      expect([status, errors]).toEqual([404, [{ code: "ERR_NOT_FOUND", message: "not found" }]]);
      expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    },
  );

  it.each([["%00"], ["a%00b"], ["%F0%9F%98%80"], ["..%2f..%2fnetworks"]])(
    "parameter that matches no object returns 404: %s",
    async (id) => {
      const { status, errors } = await send("GET", `/v1/networks/${id}`);
      expect([status, errors]).toEqual([404, [{ code: "ERR_NOT_FOUND", message: "not found" }]]);
    },
  );

  it("parameter that is longer than any ID returns 404", async () => {
    for (const length of [301, 10_000])
      expect((await send("GET", `/v1/networks/${"x".repeat(length)}`)).status).toBe(404);
  });

  it("that cannot be parsed is rejected in JSON", async () => {
    const { status, body, headers } = await rawRequest(`${server.url}/v1/networks/%zz`);
    expect(status).toBe(400);
    expect(JSON.parse(body.toString())).toMatchObject({ errors: [{ code: "ERR_INVALID_VALUE" }] });
    expect(headers["x-request-id"]).toMatch(/^req-/);
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
  });

  it("with an unsupported method returns 405 with the supported methods", async () => {
    const methodsOf = new Map<string, string[]>();
    for (const { path, method } of endpoints.values())
      methodsOf.set(path.replace(/\{\w+\}/g, "x"), [
        ...(methodsOf.get(path.replace(/\{\w+\}/g, "x")) ?? []),
        method,
      ]);
    for (const [path, methods] of methodsOf) {
      const others = ["GET", "POST", "PUT", "DELETE", "PATCH"].filter((method) => !methods.includes(method));
      for (const method of others) {
        const { status, errors, headers } = await send(method, path);
        expect([method, path, status, errors]).toEqual([
          method,
          path,
          405,
          [{ code: "ERR_METHOD_NOT_ALLOWED", message: "method not allowed" }],
        ]);
        expect(headers.get("allow")?.split(", ").sort()).toEqual([...methods].sort());
      }
    }
  });
});

describe("a query", () => {
  it.each([
    ["pageSize=1&pageSize=2", "pageSize"],
    ["cursor=a%00b", "cursor"],
    ["__proto__=1", "__proto__"],
  ])("of %s is rejected on that parameter", async (query, path) => {
    const { status, errors } = await send("GET", `/v1/networks?${query}`);
    expect([status, errors]).toEqual([400, [invalid(path)]]);
  });

  it.each([
    ["2026-02-30T00:00:00.000Z"],
    ["0000-01-01T00:00:00.000Z"],
    ["2026-01-01T24:00:00.001Z"],
    ["+002026-01-01"],
  ])("with a cursor of the invalid time %s is rejected", async (instant) => {
    const payload = Buffer.from(JSON.stringify([0, instant, "network-x"])).toString("base64url");
    const { status, errors } = await send("GET", `/v1/networks?cursor=bmV4dA.${payload}`);
    expect([status, errors]).toEqual([400, [invalid("cursor")]]);
  });
});

describe("every response", () => {
  it("has its own request ID, whatever the client sends", async () => {
    const ids = new Set<string>();
    for (const [method, path] of [
      ["GET", "/v2/whoami"],
      ["GET", "/v1/nothing"],
      ["GET", "/healthz"],
      ["POST", "/v1/networks"],
      ["PATCH", "/v1/networks"],
    ] as const) {
      const { headers } = await send(method, path, undefined, {
        "x-request-id": "mine",
        "request-id": "mine",
      });
      expect(headers.get("x-request-id")).toMatch(/^req-[A-Z2-7]{26}$/);
      ids.add(headers.get("x-request-id") ?? "");
    }
    expect(ids.size).toBe(5);
  });

  it("to input that is not HTTP is also an error list", async () => {
    for (const bytes of ["GET / HTTP/1.1\r\nHost: x\r\nBad Header\r\n\r\n", "rubbish\r\n\r\n"]) {
      const answer = await rawBytes(server.url, bytes);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toMatch(/x-request-id: req-[A-Z2-7]{26}\r\n/i);
      expect(answer.slice(answer.indexOf("\r\n\r\n") + 4)).toBe(
        '{"errors":[{"code":"ERR_INVALID_VALUE","message":"malformed request"}]}',
      );
    }
    const large = await rawBytes(
      server.url,
      `GET / HTTP/1.1\r\nHost: x\r\nA: ${"x".repeat(100_000)}\r\n\r\n`,
    );
    expect(large).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(large).toContain('{"errors":[{"code":"');
  });

  it("of success is 200 with data and metadata [S7.2]", async () => {
    const headers = { authorization: `Bearer ${session.userToken} ${session.authToken}` };
    const response = await fetch(`${server.url}/v2/whoami`, { headers });
    expect(response.status).toBe(200);
    expect(Object.keys((await response.json()) as object).sort()).toEqual(["data", "metadata"]);
  });
});

describe("an unexpected error", () => {
  it("returns 500 without details", async () => {
    await server.query("alter table feature_flags rename to elsewhere");
    const { status, errors } = await send("GET", "/v1/feature-flags");
    await server.query("alter table elsewhere rename to feature_flags");
    expect([status, errors]).toEqual([
      500,
      [{ code: "ERR_INTERNAL_SERVER_ERROR", message: "internal server error" }],
    ]);
  });

  it("returns 408 when a statement was canceled [S8.1]", async () => {
    const holder = new pg.Client({ connectionString: server.database.url });
    await holder.connect();
    await holder.query("begin; lock table networks");
    const waiting = send("GET", "/v1/networks");
    await vi.waitFor(async () => expect(await cancelWaiting()).toHaveLength(1));
    const { status, errors } = await waiting;
    await holder.end();
    expect([status, errors]).toEqual([408, [{ code: "ERR_TIMEOUT", message: "the request took too long" }]]);
  });

  const cancelWaiting = () =>
    server.query(
      `select pg_cancel_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and application_name = 'lightkeeper'`,
    );
});
