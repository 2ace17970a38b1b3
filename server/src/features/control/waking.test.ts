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
/** The hosts without an open poll, and the command or error that ended it. */
const repliesByName = new Map<string, string>();

const idOf = (name: string) => hosts.get(name)?.id ?? "";
const names = (...prefixes: string[]) =>
  [...agents.keys()].filter((name) => prefixes.some((prefix) => name.startsWith(prefix))).sort();

async function add(name: string, body: object, server: TestServer): Promise<void> {
  const host = await fleet.add({ name, ...body });
  hosts.set(name, host);
  agents.set(name, await TestAgent.enrollHost(server.url, owner, host.id));
  repliesByName.set(name, "enrolled");
}

/** Twenty hosts, half of which poll each server. */
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

const countWaitingHosts = (servers = [one, two]) =>
  servers.reduce((total, { app }) => total + app.control.countWaitingHosts(), 0);

/** Each host fetches its update, if there is one, and polls. */
async function waitForAllPolls(): Promise<void> {
  for (const [name, agent] of agents) {
    if (!(await agent.hasUpdate())) continue;
    await vi.waitFor(() => expect(repliesByName.has(name)).toBe(true), 20_000);
    await agent.update("DoUpdate");
    await agent.hasUpdate();
  }
  for (const name of repliesByName.keys()) {
    repliesByName.delete(name);
    void agents
      .get(name)
      ?.poll()
      .then(
        ({ action }) => repliesByName.set(name, action.command),
        (error: Error) => repliesByName.set(name, error.message.slice(0, 3)),
      );
  }
  await vi.waitFor(() => expect(countWaitingHosts()).toBe(agents.size), 20_000);
  expect([...repliesByName]).toEqual([]);
}

/** Exactly these hosts are woken, with this command. */
async function expectWoken(change: () => Promise<unknown>, expected: string[], command: string) {
  await waitForAllPolls();
  await change();
  await vi.waitFor(() => expect(repliesByName.size).toBeGreaterThanOrEqual(expected.length), 20_000);
  await sleep(300);
  const woken = [...repliesByName].map(([name, what]) => `${name} ${what}`).sort();
  expect(woken).toEqual(expected.map((name) => `${name} ${command}`).sort());
}

const rule = (port: number) => ({ protocol: "TCP" as const, portRange: { from: port, to: port } });
const changeHost = (name: string, body: object) =>
  owner.call(updateHostV3, {
    params: { hostID: idOf(name) },
    body: { ...hosts.get(name), ...body },
  });

describe("of twenty waiting hosts on two servers, a change wakes", () => {
  it("hosts with the role", async () => {
    const body = { firewallRules: [rule(1)] };
    await expectWoken(
      () => owner.call(updateRole, { params: { roleID }, body }),
      names("role", "both"),
      "DoConfigUpdate",
    );
  });

  it("no host, if it affects none", async () => {
    const body = { firewallRules: [rule(4)] };
    await owner.call(updateRole, { params: { roleID }, body });
    const described = { ...body, description: "Only words" };
    await expectWoken(() => owner.call(updateRole, { params: { roleID }, body: described }), [], "");
    await expectWoken(() => fleet.add({ name: "newcomer" }), [], "");
  });

  it("hosts with the tag", async () => {
    const body = { firewallRules: [rule(2)] };
    const change = () => owner.call(updateTag, { params: { tag: "env:prod" }, body });
    await expectWoken(change, names("tag", "both"), "DoConfigUpdate");
  });

  it("the changed host", async () => {
    await expectWoken(() => changeHost("plain-1", { listenPort: 4000 }), ["plain-1"], "DoConfigUpdate");
    await expectWoken(() => changeHost("plain-2", { tags: ["a:b"] }), ["plain-2"], "DoUpdate");
  });

  it("the router of a route and the hosts that use it", async () => {
    const route = { name: "Office", routerHostID: idOf("plain-3") };
    const routableCIDRs = { "192.168.1.0/24": { install: true } };
    const { id } = await owner.call(createRoute, { body: { name: "Office" } });
    const subscribe = { routeSubscriptions: [id] };
    await owner.call(updateTag, { params: { tag: "os:linux" }, body: subscribe });
    const change = () =>
      owner.call(updateRoute, { params: { routeID: id }, body: { ...route, routableCIDRs } });
    await waitForAllPolls();
    await change();
    await vi.waitFor(() => expect(repliesByName.size).toBe(3), 20_000);
    await sleep(300);
    expect(Object.fromEntries(repliesByName)).toEqual({
      "plain-3": "DoUpdate",
      "both-0": "DoConfigUpdate",
      "both-1": "DoConfigUpdate",
    });
  });

  it("hosts that lose a deleted tag, and hosts whose rules contained it", async () => {
    await changeHost("plain-4", { tags: ["soon:gone"] });
    await changeHost("plain-5", { tags: ["soon:gone", "names:it"] });
    const firewallRules = [{ ...rule(3), allowedTags: ["soon:gone"] }];
    await owner.call(updateTag, { params: { tag: "names:it" }, body: { firewallRules } });
    await owner.call(updateTag, { params: { tag: "os:linux" }, body: { firewallRules } });
    await waitForAllPolls();
    await owner.call(deleteTag, { params: { tag: "soon:gone" }, query: { detach: true } });
    await vi.waitFor(() => expect(repliesByName.size).toBe(4), 20_000);
    await sleep(300);
    expect(Object.fromEntries(repliesByName)).toEqual({
      "plain-4": "DoUpdate",
      "plain-5": "DoUpdate",
      "both-0": "DoConfigUpdate",
      "both-1": "DoConfigUpdate",
    });
  });

  it("all hosts, if it adds a lighthouse or changes the network", async () => {
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

  /** The last poll of a host that is blocked or deleted is rejected. */
  async function expectRejected(name: string, change: () => Promise<unknown>): Promise<void> {
    await waitForAllPolls();
    await change();
    await vi.waitFor(() => expect(repliesByName.size).toBe(agents.size), 20_000);
    expect(repliesByName.get(name)).toBe("401");
    agents.delete(name);
    repliesByName.delete(name);
    expect(new Set(repliesByName.values())).toEqual(new Set(["DoConfigUpdate"]));
  }

  it("all hosts, if an enrolled host is blocked, and rejects the blocked host", async () => {
    const params = { hostID: idOf("plain-7") };
    await expectRejected("plain-7", () => owner.call(blockHostV2, { params }));
    await expectWoken(() => owner.call(unblockHostV2, { params }), [], "");
  });

  it("all hosts, if an enrolled host is deleted", async () => {
    const params = { hostID: idOf("plain-6") };
    await expectRejected("plain-6", () => owner.call(deleteHost, { params }));
  });
});

describe("a poll", () => {
  it("ends with NoOp if there was nothing to do", async () => {
    const quick = await startTestServer({ environment, database: one.database, agentPollMs: 400 });
    try {
      await waitForAllPolls();
      const agent = new TestAgent(quick.url, agents.get("plain-0")!.state);
      const begunAt = performance.now();
      expect((await agent.poll()).action.command).toBe("NoOp");
      // At least two thirds of its longest duration.
      expect(performance.now() - begunAt).toBeGreaterThan(260);
    } finally {
      await quick.close();
    }
  });

  it("ends an earlier poll of the same host", async () => {
    const { id } = await fleet.add();
    const agent = await TestAgent.enrollHost(one.url, owner, id);
    const before = countWaitingHosts();
    const first = agent.poll();
    await vi.waitFor(() => expect(countWaitingHosts()).toBe(before + 1), 20_000);
    const second = agent.poll();
    expect((await first).action.command).toBe("NoOp");
    await owner.call(updateHostV3, { params: { hostID: id }, body: { listenPort: 4001 } });
    expect((await second).action.command).toBe("DoConfigUpdate");
  });

  it("no longer waits when its client disconnects", async () => {
    const { id } = await fleet.add();
    const agent = await TestAgent.enrollHost(one.url, owner, id);
    const before = countWaitingHosts();
    const client = new AbortController();
    const body = JSON.stringify(agent.request("LongPollWait", { supportedActions: [] }));
    const polled = fetch(`${one.url}/v1/dnclient`, { method: "POST", body, signal: client.signal });
    await vi.waitFor(() => expect(countWaitingHosts()).toBe(before + 1), 20_000);
    client.abort();
    await expect(polled).rejects.toThrow();
    await vi.waitFor(() => expect(countWaitingHosts()).toBe(before), 20_000);
  });

  it("ends when the server stops, which doesn't wait for it", async () => {
    const third = await startTestServer({ environment, database: one.database });
    const { id } = await fleet.add();
    const agent = await TestAgent.enrollHost(third.url, owner, id);
    const polled = agent.poll();
    await vi.waitFor(() => expect(countWaitingHosts([third])).toBe(1), 20_000);
    const begunAt = performance.now();
    await third.close();
    expect((await polled).action.command).toBe("NoOp");
    expect(performance.now() - begunAt).toBeLessThan(20_000);
  });

  it("gets a change that was made while its server had no connection for changes", async () => {
    const { id } = await fleet.add();
    const agent = await TestAgent.enrollHost(two.url, owner, id);
    const before = countWaitingHosts();
    const polled = agent.poll();
    await vi.waitFor(() => expect(countWaitingHosts()).toBe(before + 1), 20_000);
    const feeds = `from pg_stat_activity
      where application_name = 'lightkeeper changes' and datname = current_database()`;
    await one.query(`select pg_terminate_backend(pid) ${feeds}`);
    await owner.call(updateHostV3, { params: { hostID: id }, body: { listenPort: 4002 } });
    expect((await polled).action.command).toBe("DoConfigUpdate");
  });

  it("that starts after the change gets its reply immediately", async () => {
    const { id } = await fleet.add();
    const agent = await TestAgent.enrollHost(two.url, owner, id);
    await owner.call(updateHostV3, { params: { hostID: id }, body: { listenPort: 4003 } });
    expect((await agent.poll()).action.command).toBe("DoConfigUpdate");
  });
});
