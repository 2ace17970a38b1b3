/** Configurations that come with the reply to a poll. */
import { createHash } from "node:crypto";
import { createRole, getHostState, updateHostV3, updateRole } from "@lightkeeper/contract";
import pg from "pg";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { newP256HostKey } from "../../testing/agent-keys.ts";
import { agent, change, host, owner, server, useEnrolledHost } from "../../testing/updates-fixture.ts";

/** Longer than any test: no reply is the end of a poll. */
const POLL_MS = 120_000;
useEnrolledHost(POLL_MS);

let roleCount = 0;
let roleID: string;

const openPort = (port: number) => {
  const firewallRules = [{ protocol: "TCP" as const, portRange: { from: port, to: port } }];
  return owner.call(updateRole, { params: { roleID }, body: { firewallRules } });
};

/** Changes the row as another process would, whose message hasn't arrived yet. */
const changeRow = (change: string) =>
  server.query(
    `with raised as (update networks set revision = revision + 1 where id = $2)
       update hosts set ${change} where id = $1`,
    [host.id, host.networkID],
  );
const countersOf = async (hostID: string) => {
  const select = "select counter from host_credentials where host_id = $1 order by counter";
  return (await server.query<{ counter: number }>(select, [hostID])).map(({ counter }) => counter);
};

const waitingCount = () => server.app.control.countWaitingHosts();

/** The reply is wrapped, because it comes later than the poll starts to wait. */
async function startPoll(value?: object) {
  const before = waitingCount();
  const reply = agent.pollForUpdate(value);
  // A rejection is expected later.
  reply.catch(() => undefined);
  await vi.waitFor(() => expect(waitingCount()).toBe(before + 1), 20_000);
  return { reply };
}

beforeEach(async () => {
  roleID = (await owner.call(createRole, { body: { name: `Role ${++roleCount}` } })).id;
  await change({ roleID });
  await agent.update("DoUpdate");
  // Uses the new key.
  await agent.hasUpdate();
});

describe("a configuration", () => {
  it("comes with the reply to a waiting poll, and the host then uses its new key", async () => {
    const { reply } = await startPoll();
    await openPort(2001);
    const { command, state, pauseSeconds } = await reply;
    expect([command, pauseSeconds]).toEqual(["DoConfigUpdate", undefined]);
    expect(state?.config).toContain('"2001"');
    expect(await countersOf(host.id)).toEqual([2, 3]);
    const old = agent.state;
    agent.state = state!;
    expect(await agent.hasUpdate()).toBe(false);
    expect(await countersOf(host.id)).toEqual([3]);
    expect((await agent.send("CheckForUpdate", undefined, old)).status).toBe(401);
  });

  it("comes immediately if the host is out of date", async () => {
    await openPort(2002);
    const { state } = await agent.pollForUpdate();
    expect(state?.config).toContain('"2002"');
  });

  it("whose reply was lost comes with the next poll, and only its key is valid", async () => {
    await openPort(2003);
    const lost = await agent.pollForUpdate();
    const received = await agent.pollForUpdate();
    expect([lost.state?.counter, received.state?.counter]).toEqual([3, 3]);
    expect((await agent.send("CheckForUpdate", undefined, lost.state)).status).toBe(401);
    agent.state = received.state!;
    expect(await agent.hasUpdate()).toBe(false);
  });

  it("is followed by another if the host's row changed without the server's knowledge", async () => {
    const { reply } = await startPoll();
    await changeRow("listen_port = 4321");
    await openPort(2004);
    agent.state = (await reply).state!;
    expect(agent.state.config).toContain('"2004"');
    if (!agent.state.config.includes("port: 4321")) agent.state = (await agent.pollForUpdate()).state!;
    expect(agent.state.config).toContain("port: 4321");
    expect(await agent.hasUpdate()).toBe(false);
  });

  it("isn't sent to a host that was blocked without the server's knowledge, and nothing is stored", async () => {
    const { reply } = await startPoll();
    await changeRow("is_blocked = true, is_online = false");
    await openPort(2005);
    await expect(reply).rejects.toThrow("401");
    expect(await countersOf(host.id)).toEqual([2]);
  });

  it("reaches the last of two polls at the same time", async () => {
    const [first, second] = [await startPoll(), agent.pollForUpdate()];
    expect(await first.reply).toMatchObject({ command: "NoOp", state: undefined });
    await openPort(2006);
    agent.state = (await second).state!;
    expect(await agent.hasUpdate()).toBe(false);
  });

  it("is fetched by a client that sent no keys", async () => {
    await openPort(2007);
    expect(await agent.pollForUpdate({ update: null })).toMatchObject({
      command: "DoConfigUpdate",
      state: undefined,
    });
    expect(await countersOf(host.id)).toEqual([2]);
  });

  it("isn't sent to a client that supports only DoUpdate, even if it sent keys", async () => {
    await openPort(2008);
    const { command, state } = await agent.pollForUpdate({ supportedActions: ["DoUpdate"] });
    expect([command, state]).toEqual(["DoUpdate", undefined]);
  });

  it("needs keys of the network's curve, and nothing is stored without them", async () => {
    await openPort(2009);
    const { request } = agent.prepareUpdate("DoConfigUpdate");
    const keys = { edPubkeyPEM: null, p256HostPubkeyPEM: newP256HostKey().publicPem };
    await expect(agent.pollForUpdate({ update: { ...request, ...keys } })).rejects.toThrow(
      /^400 .*"path":"edPubkeyPEM"/,
    );
    await expect(agent.pollForUpdate({ update: { ...request, nonce: "?" } })).rejects.toThrow(
      /^400 .*"path":"update.nonce"/,
    );
    expect(await countersOf(host.id)).toEqual([2]);
  });
});

it("a certificate is offered, not sent", async () => {
  const { reply } = await startPoll();
  await owner.call(updateHostV3, {
    params: { hostID: host.id },
    body: { ...host, roleID, name: `${host.name}-2` },
  });
  expect(await reply).toMatchObject({ command: "DoUpdate", state: undefined });
});

it("a change between the authentication of a poll and its waiting isn't missed", async () => {
  const holder = new pg.Client({ connectionString: server.database.url });
  await holder.connect();
  try {
    // The host's row is read before the signature is stored.
    await holder.query("begin; lock table seen_signatures");
    const reply = agent.pollForUpdate();
    const waiting = "select from pg_locks where not granted and relation = 'seen_signatures'::regclass";
    await vi.waitFor(async () => expect(await server.query(waiting)).toHaveLength(1), 20_000);
    const { position } = server.ctx.changes;
    await openPort(2010);
    await vi.waitFor(() => expect(server.ctx.changes.position).toBeGreaterThan(position), 20_000);
    await holder.query("commit");
    expect((await reply).state?.config).toContain('"2010"');
  } finally {
    await holder.end();
  }
});

describe("a report with a poll", () => {
  const statusOf = (configHash: string) => ({
    configHash,
    nebulaVersion: "1.9.3",
    appliedAt: "2026-05-04T03:02:01.000Z",
  });

  it("is stored before the poll waits", async () => {
    const configHash = createHash("sha256").update(agent.state.config).digest("hex");
    await startPoll({ status: statusOf(configHash) });
    const state = await owner.call(getHostState, { params: { hostID: host.id } });
    expect(state).toMatchObject({ isDrifted: false, appliedAt: "2026-05-04T03:02:01.000Z" });
  });

  it("is rejected with its path if it's invalid", async () => {
    await expect(agent.pollForUpdate({ status: statusOf("x".repeat(65)) })).rejects.toThrow(
      /^400 .*"path":"status.configHash"/,
    );
  });
});
