/** Many open streams, and streams that are never read. */
import { Agent, type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { HostV2 } from "@lightkeeper/contract";
import { afterEach, describe, expect, it, vi } from "vitest";
import { readEvents } from "../events.ts";
import { createFleet, type Fleet } from "../fleet.ts";
import { type Session, startTestServer, type TestServer, type TestServerOptions } from "../server.ts";
import { TestAgent } from "../test-agent.ts";

const TIMEOUT_MS = 180_000;
const WAIT = { timeout: 60_000, interval: 100 };
const environment = { SECRET_KEY: Buffer.alloc(32, 7).toString("base64") };

let servers: TestServer[] = [];
const start = async (options: TestServerOptions = {}): Promise<TestServer> => {
  const server = await startTestServer({ environment, ...options });
  servers.push(server);
  return server;
};
afterEach(async () => {
  for (const server of servers.reverse()) await server.close();
  servers = [];
});

describe("event streams", { timeout: TIMEOUT_MS }, () => {
  it("are limited to four per session: the oldest ends when a fifth is opened", async () => {
    const server = await start();
    const session = await server.signUp();
    const other = await readEvents(server, await server.signUp());
    const streams = [];
    for (let count = 0; count < 4; count++) streams.push(await readEvents(server, session));
    const ended: number[] = [];
    for (const [index, { ended: isEnded }] of streams.entries()) void isEnded.then(() => ended.push(index));
    void other.ended.then(() => ended.push(Infinity));
    const fifth = await readEvents(server, session);
    await streams[0]?.ended;
    const sixth = await readEvents(server, session);
    await streams[1]?.ended;
    expect(ended).toEqual([0, 1]);
    for (const stream of [...streams, fifth, sixth, other]) stream.close();
  });

  it("are limited per organization, with a retry time, and don't affect other organizations", async () => {
    const server = await start({ events: { streamsMax: 2 } });
    const session = await server.signUp();
    const streams = [await readEvents(server, session), await readEvents(server, session)];
    const open = () =>
      fetch(`${server.url}/v1/events`, {
        headers: { authorization: `Bearer ${session.userToken} ${session.authToken}` },
      });
    const rejected = await open();
    expect(rejected.status).toBe(429);
    expect(rejected.headers.get("retry-after")).toBe("30");
    expect(await rejected.json()).toEqual({
      errors: [
        {
          code: "ERR_TOO_MANY_REQUESTS",
          message: "this organization already has 2 event streams: try again later",
          extra: { limit: 2 },
        },
      ],
    });
    const other = await readEvents(server, await server.signUp());
    streams[0]?.close();
    await vi.waitFor(async () => {
      const response = await open();
      expect(response.status).toBe(200);
      await response.body?.cancel();
    }, WAIT);
    for (const stream of [...streams, other]) stream.close();
  });
});

describe("log streams", { timeout: TIMEOUT_MS }, () => {
  const COMMAND = { command: "StreamLogs", args: { durationSeconds: 600, level: "info" } };
  let server: TestServer;
  let owner: Session;
  let fleet: Fleet;
  let host: HostV2;
  let agent: TestAgent;
  const connections = new Agent({ keepAlive: false });

  const prepare = async (options?: TestServerOptions) => {
    server = await start(options);
    owner = await server.signUp();
    fleet = await createFleet(server, owner);
    host = await fleet.add();
    agent = await TestAgent.enrollHost(server.url, owner, host.id);
  };

  /** A reader that reads nothing until the test starts it. */
  const open = (hostID = host.id, at = server) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const authorization = `Bearer ${owner.userToken} ${owner.authToken}`;
      request(
        `${at.url}/v1/hosts/${hostID}/command`,
        { method: "POST", agent: connections, headers: { authorization } },
        resolve,
      )
        .on("error", reject)
        .end(JSON.stringify(COMMAND));
    });
  const bodyOf = async (response: IncomingMessage) =>
    Buffer.concat((await response.toArray()) as Buffer[]).toString("utf8");

  /** Sends an envelope as an agent, then as many bytes as the server accepts; returns their number. */
  async function stream(lines: Iterable<string> | AsyncIterable<string>): Promise<void> {
    const { responseToken } = await agent.poll(["StreamLogs"]);
    const envelope = JSON.stringify(agent.request("CommandResponse", { responseToken, response: null }));
    async function* bytes() {
      yield Buffer.from(envelope);
      for await (const line of lines) yield Buffer.from(line);
    }
    await fetch(`${server.url}/v1/dnclient`, {
      method: "POST",
      body: ReadableStream.from(bytes()) as ReadableStream<Uint8Array>,
      duplex: "half",
    }).catch(() => undefined);
  }

  const storedBytes = async () => {
    const [row] = await server.query<{ bytes: number }>(
      "select coalesce(sum(octet_length(bytes)), 0)::int as bytes from host_command_chunks",
    );
    return row?.bytes ?? 0;
  };
  const commands = () => server.query("select token from host_commands where host_id = $1", [host.id]);
  const insertStreams = async (hostID: string, count: number, age = "0 minutes") =>
    void (await server.query(
      `insert into host_commands (token, organization_id, host_id, action, state, created_at)
         select 'token' || $1 || $4 || n, $2, $1, $3, 'streaming', now() - $4::interval
         from generate_series(1, $5::int) n`,
      [hostID, owner.organizationID, JSON.stringify(COMMAND), age, count],
    ));
  const expectRejected = async (response: IncomingMessage, message: string, limit: number) => {
    expect(response.statusCode).toBe(429);
    expect(response.headers["retry-after"]).toBe("60");
    expect(JSON.parse(await bodyOf(response))).toEqual({
      errors: [{ code: "ERR_TOO_MANY_REQUESTS", message, extra: { limit } }],
    });
  };

  it("are limited to three per host, across all servers", async () => {
    await prepare();
    const second = await start({ database: server.database });
    await insertStreams(host.id, 2);
    await insertStreams(host.id, 5, "12 minutes");
    const third = open();
    await vi.waitFor(async () => expect(await commands()).toHaveLength(8), WAIT);
    const message = "this host already has 3 log streams: close one or try again later";
    await expectRejected(await open(host.id, second), message, 3);
    await expectRejected(await open(), message, 3);
    expect(await commands()).toHaveLength(8);
    (await third).resume();
  });

  it("are limited to twenty per organization, independently of other organizations", async () => {
    await prepare();
    for (let count = 0; count < 10; count++) await insertStreams((await fleet.add()).id, 2);
    const message = "this organization already has 20 log streams: close one or try again later";
    await expectRejected(await open(), message, 20);
    owner = await server.signUp();
    fleet = await createFleet(server, owner);
    host = await fleet.add();
    agent = await TestAgent.enrollHost(server.url, owner, host.id);
    const [response] = await Promise.all([open(), stream(["line\n"])]);
    expect(await bodyOf(response)).toBe('{"data":"line"}\n');
  });

  it("are limited per process, and a stream that ends no longer counts", async () => {
    await prepare({ hostCommands: { streamsMax: 1 } });
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    async function* lines() {
      yield "first\n";
      await finished;
    }
    const streaming = stream(lines());
    const response = await open();
    const message = "this server already has 1 log streams: try again later";
    await expectRejected(await open(), message, 1);
    finish();
    expect(await bodyOf(response)).toBe('{"data":"first"}\n');
    await streaming;
    await vi.waitFor(async () => expect(await commands()).toEqual([]), WAIT);
    const [next] = await Promise.all([open(), stream(["second\n"])]);
    expect(await bodyOf(next)).toBe('{"data":"second"}\n');
  });

  const LINE = `${"x".repeat(64 * 1024 - 1)}\n`;
  const STORED_MAX = 2 * 1024 * 1024 + LINE.length;

  it("whose reader stalls are ended on both sides", async () => {
    await prepare({ hostCommands: { stallMs: 1000 } });
    let isOver = false;
    function* endless() {
      while (!isOver) yield LINE;
    }
    const streaming = stream(endless()).finally(() => (isOver = true));
    const response = await open();
    response.on("error", () => undefined);
    await streaming;
    await vi.waitFor(async () => expect(await commands()).toEqual([]), WAIT);
    expect(await storedBytes()).toBe(0);
    response.destroy();
  });

  it("store a limited amount of unread data, and lose no data", async () => {
    await prepare({ hostCommands: { stallMs: TIMEOUT_MS } });
    const count = 320;
    function* many() {
      for (let index = 0; index < count; index++) yield LINE;
    }
    let isOver = false;
    const streaming = stream(many()).finally(() => (isOver = true));
    const response = await open();
    const stored: number[] = [];
    // Until the reader's buffers and the table are full.
    while (!isOver && !(stored.length > 3 && stored.slice(-3).every((bytes) => bytes >= STORED_MAX / 2))) {
      stored.push(await storedBytes());
      await sleep(200);
    }
    expect(isOver).toBe(false);
    let length = 0;
    for await (const chunk of response) {
      length += (chunk as Buffer).length;
      if (length % 50 === 0) stored.push(await storedBytes());
    }
    await streaming;
    expect(Math.max(...stored)).toBeLessThanOrEqual(STORED_MAX);
    // Each line comes in an envelope.
    expect(length).toBe(count * `{"data":"${LINE.trim()}"}\n`.length);
  });
});
