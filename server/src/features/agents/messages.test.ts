import { createPublicKey, sign } from "node:crypto";
import { blockHostV2, deleteHost, type HostV2 } from "@lightkeeper/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { isSignedBy, readSigningKey } from "../../nouns/certificates/host-keys.ts";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { newHostKey } from "../../testing/agent-keys.ts";
import { type AgentResponse, post, signRequest, TestAgent } from "../../testing/test-agent.ts";
import { readUserAgent } from "./user-agent.ts";

let server: TestServer;
let owner: Session;
let fleet: Fleet;
let host: HostV2;
let agent: TestAgent;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
  fleet = await createFleet(server, owner);
});
beforeEach(async () => {
  host = await fleet.add();
  agent = await TestAgent.enrollHost(server.url, owner, host.id);
});
afterAll(() => server.close());

const send = (body: object | string | Buffer) =>
  post(
    `${server.url}/v1/dnclient`,
    typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  );
const FIVE_MINUTES_MS = 5 * 60_000;

describe("the protocol's example", () => {
  const key = newHostKey(Buffer.alloc(32, 3));
  const hostID = "host-24NVITKMNU3CYCEDNFWKAOBX7I";
  const wrapper = '{"type":"CheckForUpdate","value":null,"timestamp":"2026-01-02T03:04:05.678901234Z"}';
  const signature =
    "VFXqA4pL47iX2D+15piw5mB2g1VFKrWwmqJFmyltFopgCqCkQdIuXFGv2mxQv+gZntFeewW1UMinsJwFBF6mCw==";
  const edPubkey =
    "LS0tLS1CRUdJTiBERUZJTkVEIEhPU1QgRUQyNTUxOSBQVUJMSUMgS0VZLS0tLS0KTUNvd0JRWURLMlZ3QXlFQTdVa294aWpSd3NicTZRTTRrRm1WWVNsWkp6cGNZL2syTnNGR0ZLeUhOOUU9Ci0tLS0tRU5EIERFRklORUQgSE9TVCBFRDI1NTE5IFBVQkxJQyBLRVktLS0tLQo=";

  it("is signed and verified byte for byte", async () => {
    expect(key.publicPem).toBe(edPubkey);
    const request = signRequest(key.privateKey, { hostID, counter: 1 }, wrapper);
    expect(request.signature).toBe(signature);
    const signingKey = readSigningKey({ curve: "25519", base64: edPubkey, path: "edPubkey" });
    expect(await isSignedBy(signingKey, request.message, signature)).toBe(true);
    expect(await isSignedBy(signingKey, `${request.message} `, signature)).toBe(false);
  });

  it("has replies that are signed as bytes, not as base64", () => {
    const trusted = newHostKey(Buffer.alloc(32, 4)).privateKey;
    const spki = createPublicKey(trusted).export({ format: "der", type: "spki" });
    expect(spki.subarray(-32).toString("base64")).toBe("ypOsFwUYcHHWe4PH/w7+gQjo7EUwV113JoeTM9vavnw=");
    const reply = Buffer.from('{"loginURL":"https://example.test/login"}');
    expect(sign(null, reply, trusted).toString("base64")).toBe(
      "rrmj7X61ReT5w2QXufM5wODxf7tg6UFgH0R1lxxcfiHnqFPxK9hihcEataYGTV39xvawbjfC3lnDTElgSvTAAQ==",
    );
  });
});

describe("a message", () => {
  it("from an enrolled host gets a response", async () => {
    expect(await agent.send("CheckForUpdate")).toEqual({
      status: 200,
      data: { updateAvailable: false },
      errors: [],
    });
  });

  it("from an unknown host, with a wrong counter or with another host's signature returns 401", async () => {
    const good = agent.request("CheckForUpdate");
    const stranger = { ...agent.state, hostKey: newHostKey() };
    const another = await TestAgent.enrollHost(server.url, owner, (await fleet.add()).id);
    for (const bad of [
      { ...good, hostID: "host-AAAAAAAAAAAAAAAAAAAAAAAAAA" },
      { ...good, hostID: another.state.hostID },
      { ...good, counter: 2 },
      { ...good, counter: 0 },
      { ...good, counter: Number.MAX_SAFE_INTEGER },
      { ...good, message: agent.request("DoUpdate").message },
      { ...good, signature: Buffer.alloc(64).toString("base64") },
      { ...good, signature: "" },
      agent.request("CheckForUpdate", undefined, stranger),
    ])
      expect(await send(bad)).toMatchObject({ status: 401, errors: [{ code: "ERR_UNAUTHORIZED" }] });
    expect((await send(good)).status).toBe(200);
  });

  it("from a blocked or deleted host returns 401", async () => {
    await owner.call(blockHostV2, { params: { hostID: host.id } });
    expect((await agent.send("CheckForUpdate")).status).toBe(401);
    const deletedHost = await fleet.add();
    const other = await TestAgent.enrollHost(server.url, owner, deletedHost.id);
    await owner.call(deleteHost, { params: { hostID: deletedHost.id } });
    expect((await other.send("CheckForUpdate")).status).toBe(401);
  });

  it("more than five minutes early or late returns 400 with an error about the clock", async () => {
    for (const skewMs of [-FIVE_MINUTES_MS - 2000, FIVE_MINUTES_MS + 2000]) {
      agent.skewMs = skewMs;
      const { status, errors } = await agent.send("CheckForUpdate");
      expect([status, errors[0]!.message]).toEqual([400, expect.stringContaining("clock")]);
    }
    for (const skewMs of [-FIVE_MINUTES_MS + 5000, FIVE_MINUTES_MS - 5000]) {
      const other = new TestAgent(server.url, agent.state);
      other.skewMs = skewMs;
      expect((await other.send("CheckForUpdate")).status).toBe(200);
    }
    const timeless = signRequest(
      agent.state.hostKey.privateKey,
      agent.state,
      '{"type":"CheckForUpdate","value":null,"timestamp":"soon"}',
    );
    expect((await send(timeless)).errors).toMatchObject([{ path: "message.timestamp" }]);
  });

  it("that was sent before returns 400, also on another server", async () => {
    const environment = { SECRET_KEY: Buffer.alloc(32, 1).toString("base64") };
    const other = await startTestServer({ environment, database: server.database });
    try {
      const request = JSON.stringify(agent.request("CheckForUpdate"));
      const answers: AgentResponse[] = await Promise.all([
        post(`${server.url}/v1/dnclient`, request),
        post(`${other.url}/v1/dnclient`, request),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
      expect((await send(request)).errors).toMatchObject([{ path: "signature" }]);
    } finally {
      await other.close();
    }
  });

  it("can have a timestamp with nine fractional digits and a time zone", async () => {
    const at = new Date(Date.now() + 2 * 3_600_000).toISOString().slice(0, 19);
    const wrapper = `{"type":"CheckForUpdate","value":null,"timestamp":"${at}.123456789+02:00"}`;
    expect((await send(signRequest(agent.state.hostKey.privateKey, agent.state, wrapper))).status).toBe(200);
  });

  it.each(["", "Sing", "__proto__", "constructor", "NoOp"])(
    "of the unknown type %j returns 400",
    async (type) => {
      expect(await agent.send(type)).toMatchObject({ status: 400, errors: [{ path: "message.type" }] });
    },
  );

  it("with an invalid value returns 400 with the path", async () => {
    expect((await agent.send("LongPollWait", { supportedActions: 1 })).errors).toMatchObject([
      { path: "supportedActions" },
    ]);
    expect((await agent.send("DoUpdate", { nonce: "AA==" })).errors).toMatchObject([{ path: "edPubkeyPEM" }]);
    expect((await agent.send("ReportStatus", { configHash: 1 })).status).toBe(400);
    const wrapper = `{"type":"LongPollWait","value":"${Buffer.from("{").toString("base64")}","timestamp":"${new Date().toISOString()}"}`;
    const request = signRequest(agent.state.hostKey.privateKey, agent.state, wrapper);
    expect((await send(request)).errors).toMatchObject([{ path: "message.value" }]);
  });

  it("to sign in again is rejected if no identity provider is configured", async () => {
    expect((await agent.send("Reauthenticate", {})).errors).toMatchObject([
      { code: "ERR_OIDC_NOT_CONFIGURED" },
    ]);
  });
});

describe("a body", () => {
  it("is read to the end of its JSON value, whatever follows it, also in several chunks", async () => {
    const text = JSON.stringify({ ...agent.request("CheckForUpdate"), 'odd "{}\\': '}"\\' });
    expect((await send(`\n ${text}\n{"more":1}raw bytes`)).status).toBe(200);
    const again = JSON.stringify(agent.request("CheckForUpdate"));
    const parts = new ReadableStream<Uint8Array>({
      async start(controller) {
        for (const part of again.match(/.{1,40}/g) ?? []) controller.enqueue(Buffer.from(part));
        controller.enqueue(Buffer.from("\u0000\u0001 whatever"));
        controller.close();
      },
    });
    const response = await fetch(`${server.url}/v1/dnclient`, {
      method: "POST",
      body: parts,
      duplex: "half",
    });
    expect(response.status).toBe(200);
  });

  it("that isn't an object, is incomplete or is too long is rejected with an error", async () => {
    for (const body of ["[]", '"text"', "12", "{", '{"a":"}', "{]}", "\u0000", "x{}"])
      expect(await send(body)).toMatchObject({ status: 400, errors: [{ code: "ERR_INVALID_JSON" }] });
    expect(await send("")).toMatchObject({ status: 400, errors: [{ path: "version" }, {}, {}, {}, {}] });
    const long = `{"version":1,"message":"${"A".repeat(1024 * 1024)}"}`;
    expect(await send(long)).toMatchObject({ status: 413, errors: [{ code: "ERR_PAYLOAD_TOO_LARGE" }] });
  });

  it("that is aborted does not affect other requests", async () => {
    const aborter = new AbortController();
    const endless = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('{"a":')) });
    const sent = fetch(`${server.url}/v1/dnclient`, {
      method: "POST",
      body: endless,
      duplex: "half",
      signal: aborter.signal,
    });
    setTimeout(() => aborter.abort(), 100);
    await expect(sent).rejects.toThrow();
    await vi.waitFor(async () => expect(await agent.hasUpdate()).toBe(false));
  });
});

it("clients are identified by their user agent", () => {
  expect(readUserAgent("lightkeeper-agent/1.2.3 (linux; arm64) nebula/1.9.3")).toEqual({
    name: "lightkeeper-agent",
    version: "1.2.3",
    nebulaVersion: "1.9.3",
  });
  expect(readUserAgent("dnclient/0.8.4 (linux)")).toMatchObject({ name: "dnclient", version: "0.8.4" });
  expect(readUserAgent("MobileNebula/0.5 (Android 14)")).toMatchObject({ name: "mobile" });
  expect(readUserAgent(undefined)).toEqual({ name: "unknown", version: null, nebulaVersion: undefined });
  expect(readUserAgent("\u0000<script>")).toMatchObject({ name: "unknown" });
});
