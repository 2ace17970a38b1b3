/** Messages that claim to fetch an update so that other agents have to wait. */
import { Agent, request } from "node:http";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createProxiedDatabase, type ProxiedDatabase } from "../proxied-database.ts";
import { createFleet, type Fleet } from "../fleet.ts";
import { type Session, startTestServer, type TestServer } from "../server.ts";
import { newHostKey } from "../agent-keys.ts";
import { TestAgent } from "../test-agent.ts";

const TIMEOUT_MS = 240_000;
/** How long a message waits at most while many hosts fetch updates. */
const WAIT_MS_MAX = 10_000;
/** Lookups take this long, so that one group waits while the other sends. Longer lookups would count as an outage. */
const LOOKUP_MS = 100;
const GROUP_SIZE = 150;
const CHECKS = 3;

let database: ProxiedDatabase;
let server: TestServer;
let owner: Session;
let fleet: Fleet;
let agent: TestAgent;
beforeAll(async () => {
  database = await createProxiedDatabase();
  server = await startTestServer({ database });
  owner = await server.signUp();
  fleet = await createFleet(server, owner);
  agent = await enroll();
});
afterAll(async () => {
  await server.close();
  await database.drop();
});

const enroll = async () => TestAgent.enrollHost(server.url, owner, (await fleet.add()).id);

/** Sends the messages on many connections for as long as the work takes; returns how often each status occurred. */
async function flood(nextMessage: () => object, work: () => Promise<void>): Promise<Map<number, number>> {
  const connections = new Agent({ keepAlive: true, maxSockets: 2 * GROUP_SIZE });
  const statuses = new Map<number, number>();
  let isDone = false;
  const send = () =>
    new Promise<number>((resolve, reject) => {
      const sent = request(`${server.url}/v1/dnclient`, { method: "POST", agent: connections }, (response) =>
        response.resume().once("end", () => resolve(response.statusCode ?? 0)),
      );
      sent.once("error", reject).end(JSON.stringify(nextMessage()));
    });
  const startGroup = () =>
    Array.from({ length: GROUP_SIZE }, async () => {
      while (!isDone) {
        const status = await send();
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    });
  database.slowDown(LOOKUP_MS);
  const senders = startGroup();
  await setTimeout(1.5 * LOOKUP_MS);
  senders.push(...startGroup());
  await setTimeout(LOOKUP_MS);
  await work();
  isDone = true;
  database.slowDown(0);
  await Promise.all(senders);
  connections.destroy();
  return statuses;
}

/** How long an agent takes to poll a few times. */
async function timeOfChecks(): Promise<number> {
  const startedAt = performance.now();
  for (let check = 0; check < CHECKS; check++) expect(await agent.hasUpdate()).toBe(false);
  return performance.now() - startedAt;
}

async function expectNoWait(nextMessage: () => object): Promise<Map<number, number>> {
  let ms = Infinity;
  const statuses = await flood(nextMessage, async () => void (ms = await timeOfChecks()));
  expect(ms).toBeLessThan((CHECKS * WAIT_MS_MAX * 2) / 3);
  return statuses;
}

it.each(["DoUpdate", "DoConfigUpdate"])(
  "messages with a foreign signature that claim to be %s delay no other agent",
  async (type) => {
    const unsigned = agent.request(type, {}, { ...agent.state, hostKey: newHostKey() });
    const statuses = await expectNoWait(() => unsigned);
    expect([...statuses.keys()]).toEqual([401]);
  },
  TIMEOUT_MS,
);

it(
  "a recorded message that is sent again and again delays no other agent",
  async () => {
    const victim = await enroll();
    const recorded = victim.request("DoUpdate", {});
    const statuses = await expectNoWait(() => recorded);
    expect([...statuses.keys()]).toEqual([400]);
  },
  TIMEOUT_MS,
);

it(
  "messages that name another host do not queue in front of the messages of that host",
  async () => {
    const unsigned = agent.request("CheckForUpdate", undefined, { ...agent.state, hostKey: newHostKey() });
    const statuses = await expectNoWait(() => unsigned);
    expect(statuses.get(401)).toBeGreaterThan(2 * GROUP_SIZE);
  },
  TIMEOUT_MS,
);
