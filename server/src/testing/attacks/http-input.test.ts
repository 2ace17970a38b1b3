/** Requests that are malformed, go on for too long, or hold characters that nobody sees. */
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as contract from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RequestRejected } from "../../../../agent/src/server.ts";
import { describeEnrollment } from "../../../../agent/src/status.ts";
import { decoded } from "../../features/agents/envelope.service.ts";
import { createLog } from "../../infrastructure/logging/log.ts";
import { identityOf } from "../../nouns/sso/claims.ts";
import { createFleet, type Fleet } from "../fleet.ts";
import { rawBytes, rawRequest, type RawOptions } from "../raw-request.ts";
import { refusal } from "../refusal.ts";
import { insertApiKey } from "../api-keys.ts";
import { type Session, startTestServer, type TestServer } from "../server.ts";

const directory = mkdtempSync(join(tmpdir(), "lightkeeper-input-"));
mkdirSync(join(directory, "assets"));
writeFileSync(join(directory, "index.html"), "<!doctype html><title>x</title>");
writeFileSync(join(directory, "assets/app.js"), "1");

let server: TestServer;
let owner: Session;
let fleet: Fleet;
beforeAll(async () => {
  server = await startTestServer({
    consoleDirectory: directory,
    environment: { METRICS_TOKEN: "sesame", FREE_PLAN_HOST_LIMIT: "1000" },
  });
  owner = await server.signUp();
  fleet = await createFleet(server, owner);
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
    ["a refused shape", 400, "/v1/networks", () => ({ method: "POST", headers: bearer(), body: "{" })],
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

/** What came back until the server had nothing more to send. */
function received(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => (text += chunk.toString()));
  socket.on("error", () => undefined);
  return new Promise((resolve) => {
    socket.once("end", () => resolve(text));
    socket.once("close", () => resolve(text));
  });
}

/** Sends a byte now and then until the server refuses to take it. */
async function trickle(socket: Socket): Promise<void> {
  const timer = setInterval(() => socket.write("x"), 50);
  await new Promise((resolve) => socket.once("close", resolve));
  clearInterval(timer);
}

/** A client that does not stop sending when the server has said its last. */
function open(head: string): Socket {
  const { hostname: host, port } = new URL(server.url);
  const socket = connect({ host, port: Number(port), allowHalfOpen: true });
  socket.write(head);
  return socket;
}

describe("a body that continues after the response", () => {
  const head = "POST /v1/networks HTTP/1.1\r\nhost: a\r\ncontent-length: 100000\r\n\r\n";

  it("is cut off long before a request has to be complete", async () => {
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
    expect(() => decoded(bytes, "message")).toThrow("ERR_INVALID_VALUE");
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

describe("invisible characters", () => {
  const hidden = ["a\nb", "a\tb", "a\u001b[2Jb", "a\u007fb", "a\u009b2Jb", "a\u202eb", "a\u2066b"].concat([
    "a\u200eb",
    "a\u061cb",
    "a\u200bb",
    "a\ufeffb",
    "ad\u200dmin",
  ]);
  const needed = ["می\u200cخواهم", "👩🏽\u200d🚒 crew", "سفينة", "Reykjavík", "क्\u200dष"];

  type Write = (text: string) => Promise<unknown>;
  const writes: [string, string, Write][] = [
    ["a network's name", "name", (name) => owner.call(contract.createNetwork, { body: { name } })],
    ["a role's name", "name", (name) => owner.call(contract.createRole, { body: { name } })],
    ["a route's name", "name", (name) => owner.call(contract.createRoute, { body: { name } })],
    ["a tag's name", "name", (name) => owner.call(contract.createTag, { body: { name: `k:${name}` } })],
    [
      "a host's name",
      "name",
      (name) => owner.call(contract.createHostV2, { body: { name, networkID: fleet.networkID } }),
    ],
    [
      "a tag of a host",
      "tags[0]",
      (tag) =>
        owner.call(contract.createHostV2, {
          body: {
            name: `host-${randomBytes(6).toString("hex")}`,
            networkID: fleet.networkID,
            tags: [`of:${tag}`],
          },
        }),
    ],
    [
      "an organization's name",
      "name",
      (name) =>
        owner.call(contract.updateOrganization, {
          params: { organizationID: owner.organizationID },
          body: { name },
        }),
    ],
    [
      "an API key's name",
      "name",
      (name) =>
        owner.call(contract.createApiKey, {
          body: { name, scopes: ["hosts:list"], expiresAt: null } as never,
        }),
    ],
  ];

  it.each(writes)("are rejected in %s, with the path", async (_name, path, write) => {
    for (const text of hidden) {
      const [error] = await refusal(write(text));
      expect([text, error?.code, error?.path]).toEqual([text, "ERR_INVALID_VALUE", path]);
    }
    for (const text of needed) await write(text);
  });

  it("are rejected in a description too, which may have several lines", async () => {
    const create = (description: string) =>
      owner.call(contract.createRole, {
        body: { name: `role-${randomBytes(6).toString("hex")}`, description },
      });
    expect((await create("first\n\tsecond \u200f(ג)")).description).toBe("first\n\tsecond \u200f(ג)");
    for (const text of ["a\u001b[2Jb", "a\u202eb", "a\u200bb", "a\rb"])
      expect(await refusal(create(text))).toMatchObject([{ code: "ERR_INVALID_VALUE", path: "description" }]);
  });

  it("are rejected in overrides, with the path", async () => {
    const create = (value: unknown) =>
      owner.call(contract.createTag, {
        body: {
          name: `overrides:${randomBytes(6).toString("hex")}`,
          configOverrides: [{ key: "tun.dev", value }],
        },
      });
    for (const value of ["a\u202eb", { deep: ["a\u001bb"] }, { "a\u200bb": 1 }])
      expect(await refusal(create(value))).toMatchObject([
        {
          code: "ERR_INVALID_VALUE",
          path: "configOverrides[0].value",
          message: "must not contain control characters or invisible characters",
        },
      ]);
  });

  it("are rejected in the rows of an import", async () => {
    const content = `roles:\n  - name: "a\\u202Eb"\n  - name: Import ${randomBytes(6).toString("hex")}\n`;
    const plan = await owner.call(contract.planImport, { body: { format: "yaml", content } });
    expect(plan.refuse).toMatchObject([{ code: "ERR_INVALID_VALUE", path: "name" }]);
    expect(plan.create).toHaveLength(1);
  });

  it("are rejected in an email address from an identity provider", () => {
    const claims = { iss: "https://issuer.example", sub: "1" };
    expect(identityOf({ ...claims, email: "ada@example.com" })).toBeDefined();
    for (const email of ["a\u202eda@example.com", "ada\u009b@example.com", "ada@exam\u200bple.com"])
      expect(identityOf({ ...claims, email })).toBeUndefined();
  });

  it("that were stored earlier can be read and corrected", async () => {
    const host = await fleet.add();
    const stored = `old\u202e\u200b${host.id.slice(-6)}`;
    await server.query("update hosts set name = $1 where id = $2", [stored, host.id]);
    const params = { hostID: host.id };
    expect((await owner.call(contract.getHostV2, { params })).name).toBe(stored);
    await owner.call(contract.blockHostV2, { params });
    await owner.call(contract.unblockHostV2, { params });
    const corrected = { ...(await owner.call(contract.getHostV2, { params })), name: `new-${host.id}` };
    expect((await owner.call(contract.updateHostV3, { params, body: corrected })).name).toBe(corrected.name);
  });
});

describe("control characters for a terminal are escaped", () => {
  const name = "a\u001b[2J\u009b\u202e\nb";
  const shown = String.raw`a\u001b[2J\u009b\u202e\u000ab`;

  it("in the log, which stays JSON", () => {
    let line = "";
    createLog({ logLevel: "info" }, { write: (text) => void (line += text) }).info({ name }, name);
    for (const character of ["\u001b", "\u009b", "\u202e"]) expect(line).not.toContain(character);
    expect(JSON.parse(line)).toMatchObject({ name, msg: name });
  });

  it("in names and errors that the agent prints", () => {
    const host = { id: "", name, ipAddress: "10.0.0.1", ipAddresses: [] };
    const network = { id: "", name, curve: "25519" as const, cidr: "", cidrs: [] };
    const described = describeEnrollment({ host, network } as unknown as Parameters<
      typeof describeEnrollment
    >[0]);
    expect(described).toBe(`${shown} (10.0.0.1) in ${shown}`);
    expect(new RequestRejected(400, [{ message: name }]).message).toBe(`The server rejected the request: ${shown}.`);
  });
});
