import { setTimeout as sleep } from "node:timers/promises";
import { blockHostV2, type HostCommand, type HostV2, runHostCommand } from "@lightkeeper/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import { errorCodesOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { TestAgent } from "../../testing/test-agent.ts";

const environment = { SECRET_KEY: Buffer.alloc(32, 6).toString("base64") };
let one: TestServer;
let two: TestServer;
let owner: Session;
let fleet: Fleet;
let host: HostV2;
let agent: TestAgent;
beforeAll(async () => {
  one = await startTestServer({ environment });
  two = await startTestServer({ environment, database: one.database });
  owner = await one.signUp();
  fleet = await createFleet(one, owner);
});
beforeEach(async () => {
  host = await fleet.add();
  // Commands are sent to one server while the agent polls the other.
  agent = await TestAgent.enrollHost(two.url, owner, host.id);
});
afterAll(async () => {
  await two.close();
  await one.close();
});

const ALL = ["DoUpdate", "DoConfigUpdate", "PrintCert", "DebugStack", "StreamLogs", "CreateTunnel"];
const runCommand = (body: HostCommand) => owner.call(runHostCommand, { params: { hostID: host.id }, body });
const respond = (responseToken: string, response: unknown) =>
  agent.send("CommandResponse", { responseToken, response });
const commandsLeft = () => one.query("select token from host_commands where host_id = $1", [host.id]);
const expectCommandsLeft = (count: number) =>
  vi.waitFor(async () => expect(await commandsLeft()).toHaveLength(count), 20_000);

describe("a command", () => {
  it("is delivered to a waiting host, and the response is returned, across servers", async () => {
    const command = { command: "PrintCert", args: { target: "10.0.0.1" } } as const;
    const polled = agent.poll(ALL);
    await vi.waitFor(() => expect(two.app.control.countWaitingHosts()).toBe(1));
    const result = runCommand(command);
    const { action, responseToken } = await polled;
    expect(action).toEqual(command);
    expect(responseToken).toMatch(/^[\w-]{32}$/);
    expect((await respond(responseToken, { details: { name: "web" } })).status).toBe(200);
    expect(await result).toEqual({ details: { name: "web" } });
    expect(await commandsLeft()).toEqual([]);
  });

  it("waits for a host that polls a moment later", async () => {
    const result = runCommand({ command: "DebugStack" });
    await expectCommandsLeft(1);
    const { responseToken } = await agent.poll(ALL);
    await respond(responseToken, "goroutine 1");
    expect(await result).toBe("goroutine 1");
  });

  it.each([[null], [[1, 2]], [7]])("returns the response %j as JSON", async (response) => {
    const result = runCommand({ command: "DebugStack" });
    const { responseToken } = await agent.poll(ALL);
    await respond(responseToken, response);
    expect(await result).toEqual(response);
  });

  it("is delivered once, and only to a host that supports it", async () => {
    const first = runCommand({ command: "CreateTunnel", args: { target: "10.0.0.1" } });
    await expectCommandsLeft(1);
    const second = runCommand({ command: "DebugStack" });
    await expectCommandsLeft(2);
    const polled = [await agent.poll(["DebugStack"]), await agent.poll(ALL)];
    expect(polled.map(({ action }) => action.command)).toEqual(["DebugStack", "CreateTunnel"]);
    await respond(polled[0]!.responseToken, "stack");
    await respond(polled[1]!.responseToken, "Created");
    expect([await first, await second]).toEqual(["Created", "stack"]);
  });

  it("ignores responses from another host or with an unknown token", async () => {
    const other = await TestAgent.enrollHost(two.url, owner, (await fleet.add()).id);
    const result = runCommand({ command: "DebugStack" });
    const { responseToken } = await agent.poll(ALL);
    expect((await other.send("CommandResponse", { responseToken, response: "forged" })).status).toBe(200);
    expect((await respond("no-such-token", "forged")).status).toBe(200);
    await respond(responseToken, "genuine");
    expect(await result).toBe("genuine");
  });

  it("is rejected if the host does not respond within 10 seconds, never enrolled or is blocked", async () => {
    const begunAt = performance.now();
    expect(await errorCodesOf(runCommand({ command: "DebugStack" }))).toEqual(["ERR_HOST_OFFLINE"]);
    expect(performance.now() - begunAt).toBeGreaterThan(9_900);
    // A busy machine may take longer, but less than the 50 seconds of a poll.
    expect(performance.now() - begunAt).toBeLessThan(25_000);
    expect(await commandsLeft()).toEqual([]);
    const { id } = await fleet.add();
    const never = owner.call(runHostCommand, { params: { hostID: id }, body: { command: "DebugStack" } });
    expect(await errorCodesOf(never)).toEqual(["ERR_HOST_NOT_ENROLLED"]);
    await owner.call(blockHostV2, { params: { hostID: host.id } });
    expect(await errorCodesOf(runCommand({ command: "DebugStack" }))).toEqual(["ERR_HOST_BLOCKED"]);
  });
});

describe("streamed logs", () => {
  /** Sends the agent's response: an envelope, then each line when it is available. */
  async function stream(lines: AsyncIterable<string>): Promise<Response> {
    const { responseToken, action } = await agent.poll(ALL);
    expect(action).toEqual({ command: "StreamLogs", args: { durationSeconds: 60, level: "info" } });
    const envelope = JSON.stringify(agent.request("CommandResponse", { responseToken, response: null }));
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(Buffer.from(envelope));
        for await (const line of lines) controller.enqueue(Buffer.from(line));
        controller.close();
      },
    });
    return fetch(`${two.url}/v1/dnclient`, { method: "POST", body, duplex: "half" });
  }

  const openStream = (signal?: AbortSignal) =>
    fetch(`${one.url}/v1/hosts/${host.id}/command`, {
      method: "POST",
      headers: { authorization: `Bearer ${owner.userToken} ${owner.authToken}` },
      body: JSON.stringify({ command: "StreamLogs", args: { durationSeconds: 60, level: "info" } }),
      ...(signal && { signal }),
    });

  it("arrive while they are written, and end when the host ends the stream", async () => {
    let release: () => void = () => undefined;
    const firstLineRead = new Promise<void>((resolve) => (release = resolve));
    async function* lines() {
      yield '{"msg":"first"}\n';
      await firstLineRead;
      yield `{"msg":"${"x".repeat(200_000)}"}\n`;
      yield '{"msg":"last"}\n';
    }
    const pendingResponse = openStream();
    await expectCommandsLeft(1);
    const streaming = stream(lines());
    const response = await pendingResponse;
    expect(response.headers.get("content-type")).toBe("application/x-ndjson");
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = (await reader.read()).value ?? "";
    expect(JSON.parse(text)).toEqual({ data: '{"msg":"first"}' });
    release();
    for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value;
    expect(
      text
        .trim()
        .split("\n")
        .map((line) => JSON.parse((JSON.parse(line) as { data: string }).data) as { msg: string })
        .map(({ msg }) => msg.length),
    ).toEqual([5, 200_000, 4]);
    expect((await streaming).status).toBe(200);
    await vi.waitFor(async () => expect(await commandsLeft()).toEqual([]));
  });

  it("end when the client disconnects", async () => {
    async function* endless() {
      yield '{"msg":"first"}\n';
      await sleep(20_000);
    }
    const client = new AbortController();
    const pendingResponse = openStream(client.signal);
    await expectCommandsLeft(1);
    const streaming = stream(endless());
    const reader = (await pendingResponse).body!.getReader();
    await reader.read();
    client.abort();
    const begunAt = performance.now();
    await streaming.catch(() => undefined);
    expect(performance.now() - begunAt).toBeLessThan(8000);
    await vi.waitFor(async () => expect(await commandsLeft()).toEqual([]));
  });

  it("are rejected with a JSON error if the host does not start them", async () => {
    const response = await openStream();
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ code: "ERR_HOST_OFFLINE" }] });
  });
});
