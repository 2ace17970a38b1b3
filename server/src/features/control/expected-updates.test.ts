import { createRole, updateRole } from "@lightkeeper/contract";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { TestAgent } from "../../testing/test-agent.ts";

let server: TestServer;
let owner: Session;
let fleet: Fleet;
let roleCount = 0;
let roleID: string;
let agent: TestAgent;
/** The command that ended the agent's poll, or the status of its rejection. */
let reply: Promise<string>;

const rule = (port: number, description = "") => ({
  protocol: "TCP" as const,
  portRange: { from: port, to: port },
  description,
});
const setRules = (...firewallRules: ReturnType<typeof rule>[]) =>
  owner.call(updateRole, { params: { roleID }, body: { firewallRules } });

/** Changes the row as another process would, whose message hasn't arrived yet. */
const changeRow = (change: string) =>
  server.query(
    `with raised as (update networks set revision = revision + 1 where id = $2)
       update hosts set ${change} where id = $1`,
    [agent.state.hostID, fleet.networkID],
  );

async function enrollAndPoll(): Promise<void> {
  const body = { name: `Role ${++roleCount}`, firewallRules: [rule(1001)] };
  roleID = (await owner.call(createRole, { body })).id;
  agent = await TestAgent.enrollHost(server.url, owner, (await fleet.add({ roleID })).id);
  const before = server.app.control.countWaitingHosts();
  reply = agent.poll().then(
    ({ action }) => action.command,
    (error: Error) => error.message.slice(0, 3),
  );
  await vi.waitFor(() => expect(server.app.control.countWaitingHosts()).toBe(before + 1), 20_000);
}

beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
  fleet = await createFleet(server, owner);
});
beforeEach(enrollAndPoll);
afterAll(() => server.close());

it("a change of a role wakes its hosts without reading their rows", async () => {
  const holder = new pg.Client({ connectionString: server.database.url });
  await holder.connect();
  try {
    await holder.query("begin; lock table host_presence");
    await setRules(rule(1002));
    expect(await reply).toBe("DoConfigUpdate");
  } finally {
    await holder.end();
  }
  await agent.update("DoConfigUpdate");
  expect(agent.state.config).toContain('"1002"');
});

it("a host whose row changed without the server's knowledge is sent its current configuration", async () => {
  await changeRow("listen_port = 4321");
  await setRules(rule(1003));
  expect(await reply).toBe("DoConfigUpdate");
  await agent.update("DoConfigUpdate");
  expect(agent.state.config).toContain('"1003"');
  expect(agent.state.config).toContain("port: 4321");
  expect(await agent.hasUpdate()).toBe(false);
});

it("the row of a host is read if the row that was read before needs no update", async () => {
  await changeRow("listen_port = 4322");
  await setRules(rule(1001, "Only words"));
  expect(await reply).toBe("DoConfigUpdate");
  await agent.update("DoConfigUpdate");
  expect(agent.state.config).toContain("port: 4322");
});

it("a host that was blocked without the server's knowledge is rejected when it fetches the update", async () => {
  await changeRow("is_blocked = true, is_online = false");
  await setRules(rule(1004));
  expect(["DoConfigUpdate", "401"]).toContain(await reply);
  await expect(agent.update("DoConfigUpdate")).rejects.toThrow("401");
});
