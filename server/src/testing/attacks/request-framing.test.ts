/** Requests that two servers could read differently, and clients that claim to be something else. */
import { createRole, listRoles } from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rawBytes, rawRequest } from "../raw-request.ts";
import { type Session, startTestServer, type TestServer } from "../server.ts";

let server: TestServer;
let owner: Session;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
});
afterAll(() => server.close());

const SMUGGLED = "GET /v1/nothing HTTP/1.1\r\nHost: a\r\n\r\n";
/** Succeeds unless the lines are rejected. */
const get = (...lines: string[]) => ["GET /healthz HTTP/1.1", "Host: a", ...lines].join("\r\n");
const statusesIn = (response: string) =>
  [...response.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status);

describe("a request with an ambiguous length", () => {
  it.each([
    ["both kinds of length", get("Content-Length: 4", "Transfer-Encoding: chunked", "", "0\r\n\r\n")],
    ["two lengths", get("Content-Length: 0", "Content-Length: 40", "", "")],
    ["a length with a sign", get("Content-Length: +0", "", "")],
    ["an unknown encoding", get("Transfer-Encoding: xchunked", "", "0\r\n\r\n")],
    ["chunked that isn't the last encoding", get("Transfer-Encoding: chunked, identity", "", "0\r\n\r\n")],
    ["a space before the colon", get("Content-Length : 0", "", "")],
    ["a folded header", get("X: a", " Content-Length: 40", "Content-Length: 0", "", "")],
    ["a chunk whose size isn't a number", get("Transfer-Encoding: chunked", "", "0x0\r\n\r\n")],
  ])("is rejected, and what follows isn't read: %s", async (_name, bytes) => {
    expect(statusesIn(await rawBytes(server.url, bytes + SMUGGLED))).toEqual(["400"]);
  });
});

describe("a method that no endpoint has", () => {
  it.each([["TRACE"], ["TRACK"], ["CONNECT"], ["PROPFIND"], ["DEBUG"]])(
    "is rejected and reflects nothing: %s",
    async (method) => {
      const secret = "Bearer reflected";
      const bytes = `${method} /v1/networks HTTP/1.1\r\nHost: a\r\nAuthorization: ${secret}\r\nConnection: close\r\n\r\n`;
      const response = await rawBytes(server.url, bytes);
      expect(response).not.toContain(secret);
      expect(statusesIn(response).every((status) => ["400", "404", "405"].includes(status ?? ""))).toBe(true);
    },
  );

  it("can't be chosen with a header or a parameter", async () => {
    for (const name of ["x-http-method-override", "x-http-method", "x-method-override"]) {
      const headers = { [name]: "DELETE", authorization: `Bearer ${owner.userToken} ${owner.authToken}` };
      expect((await rawRequest(`${server.url}/v1/networks`, { headers })).status).toBe(200);
    }
    const url = `${server.url}/v1/networks?_method=DELETE`;
    const headers = { authorization: `Bearer ${owner.userToken} ${owner.authToken}` };
    expect((await rawRequest(url, { headers })).status).toBe(400);
  });
});

describe("a token", () => {
  it("is read from the Authorization header only", async () => {
    const tokens = `${owner.userToken} ${owner.authToken}`;
    const whoami = (path: string, headers: Record<string, string> = {}) =>
      rawRequest(`${server.url}/v2/whoami${path}`, { headers });
    expect((await whoami("", { authorization: `Bearer ${tokens}` })).status).toBe(200);
    for (const name of ["access_token", "token", "authorization", "usertoken"]) {
      expect((await whoami(`?${name}=${encodeURIComponent(tokens)}`)).status).toBe(401);
      expect((await whoami("", { cookie: `${name}=${tokens}` })).status).toBe(401);
      expect((await whoami("", { [`x-${name.replace("_", "-")}`]: tokens })).status).toBe(401);
    }
  });
});

describe("an encoded value", () => {
  it("is decoded once, in a query, a body and a path", async () => {
    const headers = { authorization: `Bearer ${owner.userToken} ${owner.authToken}` };
    const { id } = await owner.call(createRole, { body: { name: "Free %2541" } });
    await owner.call(createRole, { body: { name: "Free %41" } });
    const found = await owner.call(listRoles, { query: { "filter.search": "%2541" } });
    expect(found.data.map((role) => [role.id, role.name])).toEqual([[id, "Free %2541"]]);
    const encodedTwice = id.replace("-", "%252d");
    for (const [path, status] of [
      [id.replace("-", "%2d"), 200],
      [encodedTwice, 404],
      ["%252e%252e%252fnetworks", 404],
      ["%2e%2e%2fnetworks", 404],
    ] as const)
      expect([path, (await rawRequest(`${server.url}/v1/roles/${path}`, { headers })).status]).toEqual([
        path,
        status,
      ]);
  });
});

describe("a response", () => {
  it.each([
    ["/v1/networks"],
    ["/v1/nothing"],
    ["/v1/audit-logs/export?format=csv"],
    ["/v1/audit-logs/export?format=chain"],
    ["/v1/events"],
    ["/openapi.json"],
    ["/healthz"],
    ["/install.sh"],
    ["/v"],
    ["/dev/mail"],
  ])("has a content type with its encoding: %s", async (path) => {
    const headers = { authorization: `Bearer ${owner.userToken} ${owner.authToken}` };
    const response = await fetch(`${server.url}${path}`, { headers });
    await response.body?.cancel();
    expect(response.headers.get("content-type")).toMatch(/^[a-z]+\/[a-z.+-]+; charset=utf-8$/);
  });
});

it("a call is never redirected", async () => {
  const headers = { "x-forwarded-proto": "http", "x-forwarded-host": "evil.example.com" };
  for (const path of ["/v1/networks", "/v1/networks/", "//v1/networks", "/v1//networks", "/V1/networks"]) {
    const { status, headers: received } = await rawRequest(`${server.url}${path}`, { headers });
    expect([path, Math.floor(status / 100), received.location]).toEqual([path, 4, undefined]);
  }
});
