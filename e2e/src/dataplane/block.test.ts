import {
  blockHostV2,
  createEnrollmentCode,
  createRole,
  deleteHost,
  getBlockProgress,
  getHostState,
  getHostV2,
  unblockHostV2,
  updateHostV3,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { sendAsHost } from "./send-as-host.ts";
import { CopiedIdentity, readFingerprint } from "./copied-identity.ts";
import type { HostState, OverlayHost } from "./overlay-host.ts";
import { until } from "../until.ts";
import { countEchoesBetween } from "./count-echoes.ts";
import { selectVersions } from "./select-cases.ts";
import { TestNetwork } from "./test-network.ts";
import { describeStories } from "../story.ts";

/** Nebula checks the certificates of its tunnels every few seconds. */
const DISCONNECT_SECONDS = 12;

describeStories(selectVersions("1.6.1"), "a host with nebula %s", (version) => {
  let testNetwork: TestNetwork;
  let roleID: string;
  let lighthouse: OverlayHost;
  let relay: OverlayHost;
  let peer: OverlayHost;
  let victim: OverlayHost;
  let deleted: OverlayHost;
  let others: OverlayHost[];
  let earlier: CopiedIdentity;
  let atBlock: HostState;

  beforeAll(async () => {
    testNetwork = await TestNetwork.create(version, inject("server"));
    const body = { name: "pingable", firewallRules: [{ protocol: "ICMP" as const }] };
    roleID = (await testNetwork.call(createRole, { body })).id;
    lighthouse = await testNetwork.addHost("lighthouse", { isLighthouse: true, isStatic: true, roleID });
    relay = await testNetwork.addHost("relay", { isRelay: true, isStatic: true, roleID });
    peer = await testNetwork.addHost("peer", { roleID });
    victim = await testNetwork.addHost("victim", { roleID });
    deleted = await testNetwork.addHost("deleted", { roleID });
    others = [lighthouse, relay, peer];
    await testNetwork.startHosts(lighthouse);
  });
  afterAll(() => testNetwork.remove());

  const expectToReachAll = (host: OverlayHost) =>
    Promise.all(
      others.map((other) =>
        until(`${host.machine.name} reaches ${other.machine.name}`, () => host.probe.ping(other.address)),
      ),
    );

  /** Seconds until each peer stopped replying. */
  const becomesDisconnected = (host: OverlayHost) =>
    Promise.all(
      others.map(async ({ machine, address }) => {
        const goal = `${machine.name} no longer replies to ${host.machine.name}`;
        return (await until(goal, async () => !(await host.probe.ping(address)))) / 1000;
      }),
    );

  it("can use an earlier certificate before it is blocked", async () => {
    earlier = new CopiedIdentity(victim);
    await testNetwork.call(updateHostV3, {
      params: { hostID: victim.id },
      body: { name: "renamed", roleID },
    });
    await until("the host has another certificate", () => readFingerprint(victim) !== earlier.fingerprint);
    await victim.stop();
    await earlier.runDuring(async () => void (await expectToReachAll(victim)));
    victim.start();
    await expectToReachAll(victim);
  });

  it("is disconnected from lighthouse, relay and hosts within 12 s of being blocked, and stays disconnected", async () => {
    const pending = await testNetwork.call(createEnrollmentCode, { params: { hostID: victim.id } });
    await until("the host has reported its tunnels", async () => {
      const { tunnels } = await testNetwork.call(getHostState, { params: { hostID: victim.id } });
      return others.every(({ id }) => tunnels.some(({ hostID }) => hostID === id));
    });
    atBlock = victim.state();
    await testNetwork.call(blockHostV2, { params: { hostID: victim.id } });
    for (const seconds of await becomesDisconnected(victim)) expect(seconds).toBeLessThan(DISCONNECT_SECONDS);
    expect(await countEchoesBetween(victim, others)).toBe(0);
    await expect(victim.enroll(pending.code, "--force")).rejects.toThrow("This host is blocked.");
  });

  it("is shown with the hosts that have acknowledged the block and the tunnels that are closed", async () => {
    const params = { hostID: victim.id };
    const isDone = async () => {
      const progress = await testNetwork.call(getBlockProgress, { params });
      return progress?.completedAt !== null && progress?.closedTunnelCount === progress?.tunnelCount;
    };
    // An agent reports closed tunnels at most every 30 s.
    await until("every host has acknowledged the block", isDone, { seconds: 100 });
    const progress = await testNetwork.call(getBlockProgress, { params });
    // The other host is "deleted", which is deleted later.
    expect(progress).toMatchObject({ hostCount: 4, acknowledgedCount: 4, waitingCount: 0, waiting: [] });
    expect(progress?.tunnelCount).toBeGreaterThanOrEqual(others.length);
    expect(progress?.medianDelayMs).toBeLessThan(DISCONNECT_SECONDS * 1000);
  });

  it("can neither poll nor renew when blocked, gets no new code, and its agent reports why", async () => {
    const value = { supportedActions: ["DoUpdate"] };
    for (const type of ["LongPollWait", "CheckForUpdate", "DoUpdate", "DoConfigUpdate", "ReportStatus"])
      expect(
        await sendAsHost({ server: testNetwork.server.url, nebulaVersion: version }, atBlock, type, value),
      ).toMatchObject({ status: 401 });
    await expect(
      testNetwork.call(createEnrollmentCode, { params: { hostID: victim.id } }),
    ).rejects.toMatchObject({
      errors: [{ code: "ERR_HOST_BLOCKED" }],
    });
    await victim.waitForStatus(
      "the agent reports it",
      ({ serverProblem }) => serverProblem?.includes("it was blocked, deleted or enrolled again") ?? false,
    );
  });

  it("is rejected with every earlier certificate after it was blocked", async () => {
    await victim.stop();
    await earlier.runDuring(async () => expect(await countEchoesBetween(victim, others)).toBe(0));
    victim.start();
  });

  it("stays disconnected after every agent was restarted", async () => {
    for (const host of [...others, victim]) await host.stop();
    for (const host of [...others, victim]) host.start();
    await until("the others are back", () => peer.probe.ping(relay.address));
    for (const host of [lighthouse, victim]) await until("its nebula is back", () => host.isUp());
    expect(await countEchoesBetween(victim, others)).toBe(0);
  });

  it("reconnects with the same address after it was unblocked and enrolled again, but not with its old certificates", async () => {
    await testNetwork.call(unblockHostV2, { params: { hostID: victim.id } });
    const { code } = await testNetwork.call(createEnrollmentCode, { params: { hostID: victim.id } });
    await victim.enroll(code, "--force");
    await expectToReachAll(victim);
    const { ipAddresses } = await testNetwork.call(getHostV2, { params: { hostID: victim.id } });
    expect(ipAddresses).toEqual([victim.address]);
    await expect(victim.enroll(code, "--force")).rejects.toThrow("Invalid enrollment code");
    await victim.stop();
    await earlier.runDuring(async () => expect(await countEchoesBetween(victim, others)).toBe(0));
  });

  it("is disconnected when it is deleted, and its certificates stay on the blocklist", async () => {
    await expectToReachAll(deleted);
    const identity = new CopiedIdentity(deleted);
    await testNetwork.call(deleteHost, { params: { hostID: deleted.id } });
    for (const seconds of await becomesDisconnected(deleted))
      expect(seconds).toBeLessThan(DISCONNECT_SECONDS);
    for (const { fingerprint } of [identity, earlier])
      for (const other of others) expect(other.file("nebula.yml")).toContain(fingerprint);
    await deleted.stop();
    await identity.runDuring(async () => expect(await countEchoesBetween(deleted, others)).toBe(0));
  });
});
