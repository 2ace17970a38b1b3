import { setTimeout as sleep } from "node:timers/promises";
import {
  blockHostV2,
  createRole,
  createRoute,
  createTag,
  deleteHost,
  deleteTag,
  type HostV2,
  unblockHostV2,
  updateHostV3,
  updateNetworkV2,
  updateRole,
  updateRoute,
  updateTag,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { TestAgent } from "../../testing/test-agent.ts";

const environment = { SECRET_KEY: Buffer.alloc(32, 5).toString("base64") };
let one: TestServer;
let two: TestServer;
let owner: Session;
let fleet: Fleet;
let roleID: string;
const hosts = new Map<string, HostV2>();
const agents = new Map<string, TestAgent>();
/** Those that have no poll open, and what ended it. */
const told = new Map<string, string>();

const idOf = (name: string) => hosts.get(name)?.id ?? "";
const names = (...prefixes: string[]) =>
  [...agents.keys()].filter((name) => prefixes.some((prefix) => name.startsWith(prefix))).sort();

async function add(name: string, body: object, server: TestServer): Promise<void> {
  const host = await fleet.add({ name, ...body });
  hosts.set(name, host);
  agents.set(name, await TestAgent.enrollHost(server.url, owner, host.id));
  told.set(name, "enrolled");
}

/** Twenty hosts, every other one waiting on the other server. */
beforeAll(async () => {
  one = await startTestServer({ environment });
  two = await startTestServer({ environment, database: one.database });
  owner = await one.signUp();
  fleet = await createFleet(one, owner);
  roleID = (await owner.call(createRole, { body: { name: "Workers" } })).id;
  await owner.call(createTag, { body: { name: "env:prod" } });
  const kinds = [
    ["role", 5, { roleID }],
    ["tag", 5, { tags: ["env:prod"] }],
    ["both", 2, { roleID, tags: ["env:prod", "os:linux"] }],
    ["plain", 8, {}],
  ] as const;
  for (const [kind, count, body] of kinds)
    for (let index = 0; index < count; index++)
      await add(`${kind}-${index}`, body, index % 2 === 0 ? one : two);
});
afterAll(async () => {
  await two.close();
  await one.close();
});

/** Whoever has no poll open fetches what there is and waits. */
async function everybodyWaits(): Promise<void> {
  const idle = [...told.keys()];
  for (const name of idle) {
    const agent = agents.get(name);
    if (!agent) told.delete(name);
    else if (await agent.hasUpdate()) {
      await agent.update("DoUpdate");
      await agent.hasUpdate();
    }
  }
  for (const name of idle) {
    told.delete(name);
    void agents
      .get(name)
      ?.poll()
      .then(
        ({ action }) => told.set(name, action.command),
        (error: Error) => told.set(name, error.message.slice(0, 3)),
      );
  }
  await sleep(300);
  expect([...told]).toEqual([]);
}

/** Exactly these are woken, with this; a while later still nobody else. */
async function expectWoken(change: () => Promise<unknown>, expected: string[], command: string) {
  await everybodyWaits();
  await change();
  await vi.waitFor(() => expect(told.size).toBeGreaterThanOrEqual(expected.length), 20_000);
  await sleep(300);
  const woken = [...told].map(([name, what]) => `${name} ${what}`).sort();
  expect(woken).toEqual(expected.map((name) => `${name} ${command}`).sort());
}

const rule = (port: number) => ({ protocol: "TCP" as const, portRange: { from: port, to: port } });
const changeHost = (name: string, body: object) =>
  owner.call(updateHostV3, {
    params: { hostID: idOf(name) },
    body: { ...hosts.get(name), ...body },
  });

describe("of twenty waiting hosts on two servers, a change wakes", () => {
  it("those that have the role", async () => {
    const body = { firewallRules: [rule(1)] };
    await expectWoken(
      () => owner.call(updateRole, { params: { roleID }, body }),
      names("role", "both"),
      "DoConfigUpdate",
    );
  });

  it("nobody, when it makes no difference to anybody", async () => {
    const body = { description: "Only words", firewallRules: [rule(1)] };
    await expectWoken(() => owner.call(updateRole, { params: { roleID }, body }), [], "");
    await expectWoken(() => fleet.add({ name: "newcomer" }), [], "");
  });

  it("those that have the tag", async () => {
    const body = { firewallRules: [rule(2)] };
    const change = () => owner.call(updateTag, { params: { tag: "env:prod" }, body });
    await expectWoken(change, names("tag", "both"), "DoConfigUpdate");
  });

  it("the one it is made to", async () => {
    await expectWoken(() => changeHost("plain-1", { listenPort: 4000 }), ["plain-1"], "DoConfigUpdate");
    await expectWoken(() => changeHost("plain-2", { tags: ["a:b"] }), ["plain-2"], "DoUpdate");
  });

  it("the router of a route and those who take it", async () => {
    const route = { name: "Office", routerHostID: idOf("plain-3") };
    const routableCIDRs = { "192.168.1.0/24": { install: true } };
    const { id } = await owner.call(createRoute, { body: { name: "Office" } });
    const subscribe = { routeSubscriptions: [id] };
    await owner.call(updateTag, { params: { tag: "os:linux" }, body: subscribe });
    const change = () =>
      owner.call(updateRoute, { params: { routeID: id }, body: { ...route, routableCIDRs } });
    await everybodyWaits();
    await change();
    await vi.waitFor(() => expect(told.size).toBe(3), 20_000);
    await sleep(300);
    expect(Object.fromEntries(told)).toEqual({
      "plain-3": "DoUpdate",
      "both-0": "DoConfigUpdate",
      "both-1": "DoConfigUpdate",
    });
  });

  it("those that lose a deleted tag, and those whose rules named it", async () => {
    await changeHost("plain-4", { tags: ["soon:gone"] });
    await changeHost("plain-5", { tags: ["soon:gone", "names:it"] });
    const firewallRules = [{ ...rule(3), allowedTags: ["soon:gone"] }];
    await owner.call(updateTag, { params: { tag: "names:it" }, body: { firewallRules } });
    await owner.call(updateTag, { params: { tag: "os:linux" }, body: { firewallRules } });
    await everybodyWaits();
    await owner.call(deleteTag, { params: { tag: "soon:gone" }, query: { detach: true } });
    await vi.waitFor(() => expect(told.size).toBe(4), 20_000);
    await sleep(300);
    expect(Object.fromEntries(told)).toEqual({
      "plain-4": "DoUpdate",
      "plain-5": "DoUpdate",
      "both-0": "DoConfigUpdate",
      "both-1": "DoConfigUpdate",
    });
  });

  it("everybody, when it is a new lighthouse or the network itself", async () => {
    const lighthouse = {
      name: "lighthouse",
      isLighthouse: true,
      listenPort: 4242,
      staticAddresses: ["192.0.2.9:4242"],
    };
    await expectWoken(() => fleet.add(lighthouse), names(""), "DoConfigUpdate");
    const body = { name: "Waking", lighthousesAsRelays: true };
    const params = { networkID: fleet.networkID };
    await expectWoken(() => owner.call(updateNetworkV2, { params, body }), names(""), "DoConfigUpdate");
  });

  it("everybody, when an enrolled host is blocked, and the blocked one is turned away", async () => {
    await everybodyWaits();
    await owner.call(blockHostV2, { params: { hostID: idOf("plain-7") } });
    await vi.waitFor(() => expect(told.size).toBe(20), 20_000);
    expect(told.get("plain-7")).toBe("401");
    agents.delete("plain-7");
    told.delete("plain-7");
    expect(new Set(told.values())).toEqual(new Set(["DoConfigUpdate"]));
    await expectWoken(() => owner.call(unblockHostV2, { params: { hostID: idOf("plain-7") } }), [], "");
  });

  it("everybody, when an enrolled host is deleted", async () => {
    await everybodyWaits();
    await owner.call(deleteHost, { params: { hostID: idOf("plain-6") } });
    await vi.waitFor(() => expect(told.size).toBe(19), 20_000);
    expect(told.get("plain-6")).toBe("401");
    agents.delete("plain-6");
    told.delete("plain-6");
    expect(new Set(told.values())).toEqual(new Set(["DoConfigUpdate"]));
  });
});

describe("a poll", () => {
  it("is held, and ends with NoOp when there was nothing to do", async () => {
    const quick = await startTestServer({ environment, database: one.database, agentPollMs: 400 });
    try {
      await everybodyWaits();
      const agent = new TestAgent(quick.url, agents.get("plain-0")!.state);
      const begunAt = performance.now();
      expect((await agent.poll()).action.command).toBe("NoOp");
      expect(performance.now() - begunAt).toBeGreaterThan(390);
    } finally {
      await quick.close();
    }
  });

  it("takes the place of the one before", async () => {
    const { id } = await fleet.add();
    const agent = await TestAgent.enrollHost(one.url, owner, id);
    const first = agent.poll();
    await sleep(200);
    const second = agent.poll();
    expect((await first).action.command).toBe("NoOp");
    await owner.call(updateHostV3, { params: { hostID: id }, body: { listenPort: 4001 } });
    expect((await second).action.command).toBe("DoConfigUpdate");
  });

  it("ends when the server stops, which does not wait for it", async () => {
    const third = await startTestServer({ environment, database: one.database });
    const { id } = await fleet.add();
    const agent = await TestAgent.enrollHost(third.url, owner, id);
    const held = agent.poll();
    await sleep(200);
    const begunAt = performance.now();
    await third.close();
    expect((await held).action.command).toBe("NoOp");
    expect(performance.now() - begunAt).toBeLessThan(3000);
  });

  it("hears of what changed while its server could not hear", async () => {
    const { id } = await fleet.add();
    const agent = await TestAgent.enrollHost(two.url, owner, id);
    const held = agent.poll();
    await sleep(200);
    const feeds = `from pg_stat_activity
      where application_name = 'lightkeeper changes' and datname = current_database()`;
    await one.query(`select pg_terminate_backend(pid) ${feeds}`);
    await owner.call(updateHostV3, { params: { hostID: id }, body: { listenPort: 4002 } });
    expect((await held).action.command).toBe("DoConfigUpdate");
  });

  it("that comes after the change is answered at once", async () => {
    const { id } = await fleet.add();
    const agent = await TestAgent.enrollHost(two.url, owner, id);
    await owner.call(updateHostV3, { params: { hostID: id }, body: { listenPort: 4003 } });
    expect((await agent.poll()).action.command).toBe("DoConfigUpdate");
  });
});
