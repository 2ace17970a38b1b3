/** Requests that are malformed or never end. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as contract from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decodeJson } from "../../features/agents/envelope.service.ts";
import { rawBytes, rawRequest, type RawOptions } from "../raw-request.ts";
import { insertApiKey } from "../api-keys.ts";
import { type Session, startTestServer, type TestServer } from "../server.ts";

const directory = mkdtempSync(join(tmpdir(), "lightkeeper-input-"));
mkdirSync(join(directory, "assets"));
writeFileSync(join(directory, "index.html"), "<!doctype html><title>x</title>");
writeFileSync(join(directory, "assets/app.js"), "1");

let server: TestServer;
let owner: Session;
beforeAll(async () => {
  server = await startTestServer({
    consoleDirectory: directory,
    environment: { METRICS_TOKEN: "sesame" },
  });
  owner = await server.signUp();
});
afterAll(async () => {
  await server.close();
  rmSync(directory, { recursive: true });
});

const bearer = () => ({ authorization: `Bearer ${owner.userToken} ${owner.authToken}` });
const send = (path: string, options: RawOptions = {}) => rawRequest(`${server.url}${path}`, options);

describe("a response to a request with credentials", () => {
  const cases: [string, number, string, () => RawOptions][] = [
    ["a list", 200, "/v1/networks", () => ({ headers: bearer() })],
    ["who is signed in", 200, "/v2/whoami", () => ({ headers: bearer() })],
    ["an export", 200, "/v1/audit-logs/export?format=csv", () => ({ headers: bearer() })],
    ["the measurements", 200, "/metrics", () => ({ headers: { authorization: "Bearer sesame" } })],
    ["a rejected shape", 400, "/v1/networks", () => ({ method: "POST", headers: bearer(), body: "{" })],
    ["unknown credentials", 401, "/v1/networks", () => ({ headers: { authorization: "Bearer x y" } })],
    ["a missing permission", 403, "/v1/networks", () => ({ headers: { authorization: `Bearer ${key}` } })],
    ["a missing thing", 404, "/v1/networks/network-x", () => ({ headers: bearer() })],
    ["a missing call", 404, "/v1/nothing", () => ({ headers: bearer() })],
    ["a wrong method", 405, "/v1/networks", () => ({ method: "PATCH", headers: bearer() })],
    ["a path that cannot be decoded", 400, "/v1/networks/%ff", () => ({ headers: bearer() })],
    [
      "a link's token",
      400,
      "/v1/auth/verify-magic-link",
      () => ({ method: "POST", body: '{"magicLinkToken":"x"}' }),
    ],
    ["an agent's message", 400, "/v1/dnclient", () => ({ method: "POST", body: "{}" })],
  ];
  let key: string;
  beforeAll(async () => {
    key = (await insertApiKey(server, owner, [])).token;
  });

  it.each(cases)("is not stored by any cache: %s", async (_name, status, path, options) => {
    const answer = await send(path, options());
    expect([answer.status, answer.headers["cache-control"]]).toEqual([status, "no-store"]);
  });

  it("is not stored by any cache: events", async () => {
    const stream = await fetch(`${server.url}${contract.streamEvents.path}`, { headers: bearer() });
    expect(stream.headers.get("cache-control")).toBe("no-store");
    await stream.body?.cancel();
  });

  it("is not stored by any cache: input that is not HTTP", async () => {
    const answer = await rawBytes(
      server.url,
      "GET / HTTP/1.1\r\nAuthorization: Bearer x\r\nBad Header\r\n\r\n",
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toMatch(/\r\ncache-control: no-store\r\n/i);
  });

  it("is cached only for the static files of the console", async () => {
    const { headers } = await send("/assets/app.js", { headers: bearer() });
    expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  });
});

/** Everything that the server sends until it ends the connection. */
function received(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => (text += chunk.toString()));
  socket.on("error", () => undefined);
  return new Promise((resolve) => {
    socket.once("end", () => resolve(text));
    socket.once("close", () => resolve(text));
  });
}

/** Sends single bytes slowly until the server closes the connection. */
async function trickle(socket: Socket): Promise<void> {
  const timer = setInterval(() => socket.write("x"), 50);
  await new Promise((resolve) => socket.once("close", resolve));
  clearInterval(timer);
}

/** A client that continues to send after the server's last response. */
function open(head: string): Socket {
  const { hostname: host, port } = new URL(server.url);
  const socket = connect({ host, port: Number(port), allowHalfOpen: true });
  socket.write(head);
  return socket;
}

describe("a body that continues after the response", () => {
  const head = "POST /v1/networks HTTP/1.1\r\nhost: a\r\ncontent-length: 100000\r\n\r\n";

  it("ends with a closed connection, long before the request timeout", async () => {
    const startedAt = performance.now();
    const socket = open(head);
    const text = received(socket);
    await trickle(socket);
    expect(await text).toMatch(/^HTTP\/1\.1 401 /);
    expect(await text).toMatch(/\r\nconnection: close\r\n/i);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  it("does not prevent the client from reading the response", async () => {
    const body = Buffer.alloc(900_000, "x");
    const socket = open(head.replace("100000", String(body.length)));
    socket.write(body);
    expect(await received(socket)).toMatch(/^HTTP\/1\.1 401 .*"ERR_UNAUTHORIZED"/s);
  });

  it("is not followed by another request on the same connection", async () => {
    const socket = open(head.replace("100000", "10"));
    await received(socket);
    const body = '{"name":"After the response"}';
    const { authorization } = bearer();
    socket.write(
      `0123456789POST /v1/networks HTTP/1.1\r\nhost: a\r\nauthorization: ${authorization}\r\n` +
        `content-length: ${body.length}\r\n\r\n${body}`,
    );
    await trickle(socket);
    const { data } = await owner.call(contract.listNetworks);
    expect(data.map(({ name }) => name)).not.toContain("After the response");
  });
});

it.each([["/v1/signup"], ["/v2/enroll"]])(
  "a body that is too large closes the connection: %s",
  async (path) => {
    const body = `{"a":"${"x".repeat(20_000)}"}`;
    const text = await rawBytes(
      server.url,
      `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    expect(text).toMatch(/\r\nconnection: close\r\n/i);
  },
);

describe("bytes that are not UTF-8", () => {
  it.each([["/v1/networks"], ["/v2/enroll"], ["/v1/dnclient"]])("are not JSON: %s", async (path) => {
    const response = await fetch(`${server.url}${path}`, {
      method: "POST",
      headers: bearer(),
      body: Buffer.from('{"name":"caf\xe9"}', "latin1"),
    });
    expect([response.status, await response.json()]).toEqual([
      400,
      { errors: [{ code: "ERR_INVALID_JSON", message: "the request body isn't valid JSON" }] },
    ]);
  });

  it("are not a signed message", () => {
    const bytes = Buffer.from('{"type":"\xe9"}', "latin1").toString("base64");
    expect(() => decodeJson(bytes, "message")).toThrow("ERR_INVALID_VALUE");
  });

  it("are rejected in a query, with the parameter, and in a path", async () => {
    const query = await send("/v1/networks?pageSize=1&filter.search=a%ffb", { headers: bearer() });
    expect([query.status, JSON.parse(query.body.toString())]).toEqual([
      400,
      { errors: [{ code: "ERR_INVALID_VALUE", message: "must be valid UTF-8", path: "filter.search" }] },
    ]);
    expect((await send("/v1/hosts?filter.search=caf%C3%A9+100%", { headers: bearer() })).status).toBe(200);
    expect((await send("/v1/networks/%ff", { headers: bearer() })).status).toBe(400);
  });
});
