/** Processes that are stopped while they are used. */
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createNetwork, listNetworks, streamEvents } from "@lightkeeper/contract";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type ProxiedDatabase, createProxiedDatabase } from "../proxied-database.ts";
import { createFleet } from "../fleet.ts";
import { startLoad } from "../load.ts";
import { rawRequest } from "../raw-request.ts";
import {
  buildServer,
  findFreePort,
  type ServerBuild,
  type ServerProcess,
  startServerProcess,
} from "../server-processes.ts";
import { type Session, startTestServer, type TestServer } from "../server.ts";
import { TestAgent } from "../test-agent.ts";

// Processes start and end here.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const secretKey = Buffer.alloc(32, 5).toString("base64");

let build: ServerBuild;
let database: ProxiedDatabase;
let server: TestServer;
let owner: Session;
let agentState: TestAgent["state"];
const running: ServerProcess[] = [];
beforeAll(async () => {
  build = buildServer();
  database = await createProxiedDatabase();
  server = await startTestServer({ database, environment: { SECRET_KEY: secretKey } });
  owner = await server.signUp();
  const fleet = await createFleet(server, owner);
  agentState = (await TestAgent.enrollHost(server.url, owner, (await fleet.add()).id)).state;
});
afterEach(async () => {
  await Promise.all(running.splice(0).map(({ kill }) => kill()));
});
afterAll(async () => {
  await server.close();
  await database.drop();
  build.remove();
});

async function start(graceSeconds: number, port?: number): Promise<ServerProcess> {
  const started = await startServerProcess({
    build,
    port: port ?? (await findFreePort()),
    databaseURL: database.url,
    secretKey,
    environment: { SHUTDOWN_GRACE_SECONDS: String(graceSeconds), LOG_LEVEL: "warn" },
  });
  running.push(started);
  return started;
}
const headers = () => ({ authorization: `Bearer ${owner.userToken} ${owner.authToken}` });

/** Sends a request on the agent's only connection. */
async function sendOn(agent: Agent, url: string, path: string): Promise<IncomingMessage> {
  const sent = request(`${url}${path}`, { agent, headers: headers() });
  sent.end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  response.resume();
  await once(response, "end");
  return response;
}
const isListening = async ({ url }: ServerProcess) =>
  rawRequest(`${url}/healthz`).then(
    () => true,
    () => false,
  );
const isStopping = async ({ url }: ServerProcess) => (await rawRequest(`${url}/readyz`)).status === 503;
const until = (isMet: () => Promise<boolean>) =>
  vi.waitFor(async () => expect(await isMet()).toBe(true), { timeout: 60_000, interval: 20 });

/** Clients on a busy machine need some time to detect that a process is not ready. */
const ROLLING_SECONDS = 6;

it("two processes that are restarted one after the other under load lose no request", async () => {
  const ports = [await findFreePort(), await findFreePort()];
  const processes = [await start(ROLLING_SECONDS, ports[0]), await start(ROLLING_SECONDS, ports[1])];
  const agent = new TestAgent(processes[0]!.url, agentState);
  let sent = 0;
  const load = startLoad({
    urls: processes.map(({ url }) => url),
    // Few enough that a busy machine serves them: an overloaded server returns 503.
    clients: 6,
    pauseMs: 100,
    next: () => {
      switch (sent++ % 6) {
        case 0:
          return {
            method: "POST",
            path: "/v1/networks",
            headers: headers(),
            body: `{"name":"Load ${sent}"}`,
          };
        case 1: {
          const body = JSON.stringify(agent.request("LongPollWait", { supportedActions: ["DoUpdate"] }));
          return { method: "POST", path: "/v1/dnclient", body };
        }
        case 2:
          return { method: "GET", path: "/v2/whoami", headers: headers() };
        default:
          return { method: "GET", path: "/v1/networks", headers: headers() };
      }
    },
  });
  for (const { url } of processes) await load.uses(url);
  for (const round of [0, 1]) {
    const stopped = processes[round]!;
    const before = load.succeeded;
    await until(() => Promise.resolve(load.succeeded > before + 50));
    stopped.child.kill("SIGTERM");
    expect(await stopped.exited).toBe(0);
    processes[round] = await start(ROLLING_SECONDS, ports[round]);
    await load.uses(processes[round].url);
  }
  const { succeeded, failures } = await load.stop();
  const logs = failures.length > 0 ? running.map(({ output }) => output()) : [];
  expect({ failures, logs }).toEqual({ failures: [], logs: [] });
  expect(succeeded).toBeGreaterThan(200);
});

describe("a process that is shutting down", () => {
  it("reports that it is not ready, serves further requests, and asks to close the connection", async () => {
    const process = await start(6);
    const agents = [
      new Agent({ keepAlive: true, maxSockets: 1 }),
      new Agent({ keepAlive: true, maxSockets: 1 }),
    ];
    for (const agent of agents) {
      const before = await sendOn(agent, process.url, "/v1/networks");
      expect(before.headers.connection).toBe("keep-alive");
    }
    process.child.kill("SIGTERM");
    await until(() => isStopping(process));
    const ready = await rawRequest(`${process.url}/readyz`);
    expect(JSON.parse(ready.body.toString())).toEqual({
      errors: [{ code: "ERR_UNAVAILABLE", message: "the server is shutting down" }],
    });
    expect(ready.headers["x-request-id"]).toMatch(/^req-/);
    expect(ready.headers["content-security-policy"]).toContain("default-src 'none'");
    expect((await rawRequest(`${process.url}/healthz`)).status).toBe(200);
    const during = await sendOn(agents[0]!, process.url, "/v1/networks");
    expect([during.statusCode, during.headers.connection]).toEqual([200, "close"]);
    // The other connection isn't used again, so no request is lost when it is closed.
    expect(await process.exited).toBe(0);
    for (const agent of agents) agent.destroy();
  });

  it("responds to waiting hosts with NoOp, and ends event streams", async () => {
    const process = await start(0);
    const agent = new TestAgent(process.url, agentState);
    const stream = await fetch(`${process.url}${streamEvents.path}`, { headers: headers() });
    const ended = stream.text();
    const polled = agent.poll();
    await until(async () => {
      const text = (await rawRequest(`${process.url}/metrics`)).body.toString();
      return /^lightkeeper_waiting_hosts 1$/m.test(text);
    });
    process.child.kill("SIGTERM");
    expect(await polled).toEqual({ action: { command: "NoOp" }, responseToken: "" });
    expect(await ended).toMatch(/^:\n\n/);
    expect(await process.exited).toBe(0);
  });

  it("finishes the current request", async () => {
    const process = await start(0);
    const holder = new pg.Client({ connectionString: server.database.url });
    await holder.connect();
    try {
      await holder.query("begin; lock table networks");
      const waiting = rawRequest(`${process.url}${listNetworks.path}`, { headers: headers() });
      await until(async () => (await server.countLockWaits()) > 0);
      process.child.kill("SIGTERM");
      await until(async () => !(await isListening(process)));
      await holder.query("rollback");
      const { status, headers: sent } = await waiting;
      expect([status, sent.connection]).toEqual([200, "close"]);
      expect(await process.exited).toBe(0);
    } finally {
      await holder.end();
    }
  });

  it("serves a request whose head is arriving", async () => {
    const process = await start(0);
    const { hostname, port } = new URL(process.url);
    const socket = connect(Number(port), hostname);
    socket.write("GET /healthz HTTP/1.1\r\nhost: a\r\n");
    await rawRequest(`${process.url}/healthz`);
    process.child.kill("SIGTERM");
    await until(async () => !(await isListening(process)));
    socket.write("\r\n");
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer.toString()).toMatch(/\r\nconnection: close\r\n/i);
    expect(await process.exited).toBe(0);
    socket.destroy();
  });

  it("stops without waiting after a second signal", async () => {
    const process = await start(600);
    process.child.kill("SIGINT");
    await until(() => isStopping(process));
    // Within half a second it would count as the same signal.
    await sleep(1000);
    process.child.kill("SIGINT");
    expect(await process.exited).toBe(0);
  });

  it("stops even if the database doesn't respond", async () => {
    const silenced = await createProxiedDatabase();
    try {
      const process = await startServerProcess({
        build,
        port: await findFreePort(),
        databaseURL: silenced.url,
        secretKey,
        environment: { SHUTDOWN_GRACE_SECONDS: "0", LOG_LEVEL: "silent" },
      });
      running.push(process);
      silenced.freeze();
      const lost = rawRequest(`${process.url}/v1/signup`, {
        method: "POST",
        body: '{"email":"a@example.com"}',
      }).catch(() => undefined);
      process.child.kill("SIGTERM");
      const code = await process.exited;
      expect([0, 1]).toContain(code);
      await lost;
    } finally {
      await silenced.drop();
    }
  });
});

it("a server that is closed finishes started requests without errors", async () => {
  const other = await startTestServer({ database, environment: { SECRET_KEY: secretKey } });
  const session = { ...owner, call: other.client(owner.userToken, owner.authToken) };
  const calls = Array.from({ length: 20 }, (_, index) =>
    session.call(createNetwork, { body: { name: `Closing ${index}` } }),
  );
  // The last request has arrived when the first response is received.
  await calls[0];
  await other.close();
  expect((await Promise.allSettled(calls)).filter(({ status }) => status === "rejected")).toEqual([]);
});
