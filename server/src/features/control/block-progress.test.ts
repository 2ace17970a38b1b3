/** Which hosts have acknowledged a block. */
import { createHash } from "node:crypto";
import {
  blockHostV2,
  bulkHosts,
  deleteHost,
  getBlockProgress,
  type HostV2,
  NotFoundError,
  unblockHostV2,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { recordAcknowledgments } from "../../nouns/hosts/host-blocks.service.ts";
import { insertApiKey } from "../../testing/api-keys.ts";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import { errorCodesOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { TestAgent } from "../../testing/test-agent.ts";

let server: TestServer;
let owner: Session;
let fleet: Fleet;
beforeAll(async () => {
  server = await startTestServer({ agentPollMs: 50 });
  owner = await server.signUp();
});
afterAll(() => server.close());
// Every test counts the hosts of its own network.
beforeEach(async () => {
  fleet = await createFleet(server, owner);
});

interface EnrolledHost {
  host: HostV2;
  address: string;
  agent: TestAgent;
}

async function enrolled(settings: Parameters<Fleet["add"]>[0] = {}): Promise<EnrolledHost> {
  const host = await fleet.add(settings);
  const agent = await TestAgent.enrollHost(server.url, owner, host.id);
  return { host, address: host.ipAddresses[0] ?? "", agent };
}

const hashOf = (config: string) => createHash("sha256").update(config).digest("hex");
const report = ({ agent }: EnrolledHost, tunnelsTo: EnrolledHost[] = [], error?: string) =>
  agent.report({
    configHash: hashOf(agent.state.config),
    tunnels: tunnelsTo.map(({ address }) => ({ vpnIp: address })),
    ...(error !== undefined && { error }),
  });
/** Fetches the configuration, uses it and, as our agent does, reports it. */
async function acknowledge(enrolledHost: EnrolledHost, tunnelsTo: EnrolledHost[] = []): Promise<void> {
  await enrolledHost.agent.update("DoConfigUpdate");
  await report(enrolledHost, tunnelsTo);
}
const block = ({ host }: EnrolledHost) => owner.call(blockHostV2, { params: { hostID: host.id } });
const progressOf = ({ host }: Pick<EnrolledHost, "host">, { call } = owner) =>
  call(getBlockProgress, { params: { hostID: host.id } });
const recordAll = () => recordAcknowledgments(server.ctx, new Date(0));

describe("the progress of a block", () => {
  it("goes from no host to all hosts, and then has the times of half and of all", async () => {
    const [blocked, ...others] = [await enrolled(), await enrolled(), await enrolled(), await enrolled()];
    for (const other of others) await report(other);
    await block(blocked);
    expect(await progressOf(blocked)).toMatchObject({
      hostID: blocked.host.id,
      hostCount: 3,
      acknowledgedCount: 0,
      waitingCount: 3,
      medianDelayMs: null,
      completedAt: null,
    });
    const [first, second, third] = others;
    await acknowledge(first);
    await recordAll();
    expect(await progressOf(blocked)).toMatchObject({ acknowledgedCount: 1, medianDelayMs: null });
    await acknowledge(second);
    await recordAll();
    const half = await progressOf(blocked);
    expect(half).toMatchObject({ acknowledgedCount: 2, completedAt: null });
    expect(half?.medianDelayMs).toBeGreaterThanOrEqual(0);
    expect(half?.waiting.map(({ hostID }) => hostID)).toEqual([third.host.id]);
    await acknowledge(third);
    await recordAll();
    const all = await progressOf(blocked);
    expect(all).toMatchObject({ acknowledgedCount: 3, waiting: [], medianDelayMs: half?.medianDelayMs });
    expect(all?.completedAt).not.toBeNull();
    // Later changes leave the result as it is.
    await block(second);
    await recordAll();
    expect(await progressOf(blocked)).toEqual(all);
  });

  it("waits for a host that got the block until it reports that the configuration runs", async () => {
    const [blocked, other] = [await enrolled(), await enrolled()];
    await report(other);
    await block(blocked);
    await other.agent.update("DoConfigUpdate");
    await other.agent.hasUpdate();
    expect(await progressOf(blocked)).toMatchObject({ acknowledgedCount: 0 });
    await report(other, [], "nebula rejected it");
    expect(await progressOf(blocked)).toMatchObject({ acknowledgedCount: 0 });
    await report(other);
    expect(await progressOf(blocked)).toMatchObject({ acknowledgedCount: 1, waiting: [] });
  });

  it("counts a host whose agent never reports when it uses the configuration", async () => {
    const [blocked, other] = [await enrolled(), await enrolled()];
    await block(blocked);
    await other.agent.update("DoConfigUpdate");
    expect(await progressOf(blocked)).toMatchObject({ acknowledgedCount: 0 });
    await other.agent.hasUpdate();
    expect(await progressOf(blocked)).toMatchObject({ acknowledgedCount: 1 });
  });

  it("lists hosts with a tunnel first, then those that are online, then the others", async () => {
    const blocked = await enrolled({ name: "blocked" });
    const offline = await enrolled({ name: "a-offline" });
    const online = await enrolled({ name: "b-online" });
    const connected = await enrolled({ name: "c-connected" });
    for (const other of [offline, online]) await report(other);
    await report(connected, [blocked]);
    await report(blocked, [connected, online]);
    await server.query("update hosts set is_online = false where id = $1", [offline.host.id]);
    await server.query("update hosts set is_drifted = true where id = $1", [online.host.id]);
    await block(blocked);
    const progress = await progressOf(blocked);
    expect(progress).toMatchObject({ tunnelCount: 2, closedTunnelCount: 1 });
    expect(progress?.waiting).toEqual([
      expect.objectContaining({ hostName: "c-connected", hasTunnel: true, isOnline: true }),
      expect.objectContaining({ hostName: "b-online", hasTunnel: false, isOnline: true, isDrifted: true }),
      expect.objectContaining({ hostName: "a-offline", hasTunnel: false, isOnline: false, isDrifted: false }),
    ]);
    await acknowledge(connected);
    expect(await progressOf(blocked)).toMatchObject({ closedTunnelCount: 2, acknowledgedCount: 1 });
  });

  it("has the tunnels that a lighthouse reports if the blocked host reports none", async () => {
    const lighthouse = await enrolled({
      isLighthouse: true,
      staticAddresses: ["192.0.2.1:4242"],
      listenPort: 4242,
    });
    const blocked = await enrolled();
    await report(lighthouse, [blocked]);
    await block(blocked);
    expect(await progressOf(blocked)).toMatchObject({ tunnelCount: 1, closedTunnelCount: 0 });
  });

  it("is completed when the last waiting host is deleted or its certificate expires", async () => {
    const [blocked, deleted, expired] = [await enrolled(), await enrolled(), await enrolled()];
    await block(blocked);
    await owner.call(deleteHost, { params: { hostID: deleted.host.id } });
    await recordAll();
    expect(await progressOf(blocked)).toMatchObject({ acknowledgedCount: 1, completedAt: null });
    await server.query("update hosts set certificate_expires_at = now() - interval '1 s' where id = $1", [
      expired.host.id,
    ]);
    await recordAll();
    expect((await progressOf(blocked))?.completedAt).not.toBeNull();
  });

  it("doesn't wait for a host that enrolls after the block", async () => {
    const [blocked, other] = [await enrolled(), await enrolled()];
    await block(blocked);
    await enrolled();
    expect(await progressOf(blocked)).toMatchObject({ hostCount: 1, waitingCount: 1 });
    await acknowledge(other);
    expect(await progressOf(blocked)).toMatchObject({ acknowledgedCount: 1, waitingCount: 0 });
  });

  it("is null for a host that isn't blocked, wasn't enrolled or was unblocked", async () => {
    const [active, blocked, never] = [await enrolled(), await enrolled(), await fleet.add()];
    expect(await progressOf(active)).toBeNull();
    await owner.call(blockHostV2, { params: { hostID: never.id } });
    expect(await progressOf({ host: never })).toBeNull();
    await block(blocked);
    expect(await progressOf(blocked)).not.toBeNull();
    await owner.call(unblockHostV2, { params: { hostID: blocked.host.id } });
    expect(await progressOf(blocked)).toBeNull();
  });

  it("is completed immediately if there is no other host, and is the same when the host is blocked twice", async () => {
    const only = await enrolled();
    await block(only);
    const progress = await progressOf(only);
    expect(progress).toMatchObject({ hostCount: 0, acknowledgedCount: 0, waiting: [] });
    expect(progress?.completedAt).not.toBeNull();
    await block(only);
    expect(await progressOf(only)).toEqual(progress);
  });

  it("of hosts that are blocked together doesn't count them", async () => {
    const hosts = [await enrolled(), await enrolled()];
    await enrolled();
    await owner.call(bulkHosts, {
      body: { ids: hosts.map(({ host }) => host.id), action: "block" },
    });
    await server.app.jobs.drain();
    for (const host of hosts) expect(await progressOf(host)).toMatchObject({ hostCount: 1 });
  });

  it("requires permission to read hosts of the organization", async () => {
    const { host } = await enrolled();
    await expect(progressOf({ host }, await server.signUp())).rejects.toBeInstanceOf(NotFoundError);
    const { token } = await insertApiKey(server, owner, ["hosts:list"]);
    const call = server.client(token)(getBlockProgress, { params: { hostID: host.id } });
    expect(await errorCodesOf(call)).toEqual(["ERR_FORBIDDEN"]);
  });
});
