import { createRole, getCaRotation, listCertificateAuthorities, rotateCa } from "@lightkeeper/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CopiedIdentity } from "./copied-identity.ts";
import type { OverlayHost } from "./overlay-host.ts";
import type { PingResult } from "./probe.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../until.ts";
import { countEchoesBetween } from "./count-echoes.ts";
import { selectVersions } from "./select-cases.ts";
import { TestNetwork } from "./test-network.ts";
import { describeStories } from "../story.ts";

const PING_MS = 100;
/** In this time, nebula checks all its tunnels and closes those it no longer trusts. */
const SETTLED_MS = 12_000;
/** The maximum downtime of a restart: the agent waits five seconds for nebula to exit. */
const RESTART_MS_MAX = 5000;
/** The server waits 75 s for idle tunnels before it retires the old CA. */
const STEP_SECONDS_MAX = 200;
const TEST_MS_MAX = 240_000;

/**
 * The maximum number of packets lost between two hosts. Since 1.7, nebula makes a new handshake while the old tunnel is
 * in use; before, a new certificate needs a restart on both hosts.
 */
const lostMax = (version: string) => (version === "1.6.1" ? (2 * RESTART_MS_MAX) / PING_MS : 0);

describeStories(selectVersions("1.6.1"), "a new CA, with nebula %s", (version) => {
  let testNetwork: TestNetwork;
  let lighthouse: OverlayHost;
  let one: OverlayHost;
  let two: OverlayHost;
  let idle: OverlayHost;
  let late: OverlayHost;
  let pings: { stop: () => Promise<PingResult> }[];
  let outdated: CopiedIdentity;

  beforeAll(async () => {
    testNetwork = await TestNetwork.createWithServer(version);
    const body = { name: "pingable", firewallRules: [{ protocol: "ICMP" as const }] };
    const { id: roleID } = await testNetwork.call(createRole, { body });
    lighthouse = await testNetwork.addHost("lighthouse", { isLighthouse: true, isStatic: true, roleID });
    one = await testNetwork.addHost("one", { roleID });
    two = await testNetwork.addHost("two", { roleID });
    idle = await testNetwork.addHost("idle", { roleID });
    late = await testNetwork.addHost("late", { roleID });
    await testNetwork.startHosts(lighthouse);
    await until("one reaches two", () => one.probe.ping(two.address));
    await until("two reaches one", () => two.probe.ping(one.address));
    await late.stop();
    pings = [
      one.probe.startPing(two.address, PING_MS),
      two.probe.startPing(one.address, PING_MS),
      one.probe.startPing(lighthouse.address, PING_MS),
    ];
  });
  afterAll(() => testNetwork.remove());

  const params = () => ({ networkID: testNetwork.network.id });
  const rotation = async () => {
    const current = await testNetwork.call(getCaRotation, { params: params() });
    if (!current) throw new Error("No rotation has started.");
    return current;
  };
  const waitForStep = (step: string, ...names: string[]) =>
    until(
      `${step}, waiting for [${names.join()}]`,
      async () => {
        const current = await rotation();
        const waitingFor = current.waitingFor.hosts.map(({ name }) => name);
        return current.step === step && waitingFor.join() === names.join();
      },
      { seconds: STEP_SECONDS_MAX, everyMs: 500 },
    );

  async function restartServer(): Promise<void> {
    await testNetwork.killServer();
    await testNetwork.startServer();
  }

  /** The configuration has two certificates: the host's and one CA's. */
  const trustsOnlyOneCa = (host: OverlayHost) =>
    host.file("nebula.yml").match(/BEGIN NEBULA CERTIFICATE/g)?.length === 2;

  it("is trusted by all hosts before it signs, and the rotation waits for an offline host, even if the server is killed", async () => {
    const { step } = await testNetwork.call(rotateCa, { params: params(), body: {} });
    expect(step).toBe("TRUST");
    await waitForStep("TRUST", "late");
    await restartServer();
    const { waitingFor, ...rest } = await rotation();
    expect(rest.step).toBe("TRUST");
    expect(waitingFor).toMatchObject({ hostCount: 1, hosts: [{ id: late.id, name: "late" }] });
  });

  it("signs for all hosts before the old CA is retired, even if the server is killed", async () => {
    testNetwork.proxy.decideDelivery = ({ hostID, type }) =>
      hostID === late.id && type === "DoUpdate" ? "lost" : "delivered";
    late.start();
    await waitForStep("REISSUE", "late");
    await restartServer();
    await waitForStep("REISSUE", "late");
    await until("a certificate of the old CA is still valid", () => late.probe.ping(one.address));
    expect(trustsOnlyOneCa(late)).toBe(false);
    outdated = new CopiedIdentity(late);
  });

  it(
    "replaces the old CA automatically when the last host is back",
    async () => {
      testNetwork.proxy.decideDelivery = () => "delivered";
      await waitForStep("DONE");
      const { oldCAID, newCAID } = await rotation();
      const { data } = await testNetwork.call(listCertificateAuthorities);
      const states = Object.fromEntries(data.map(({ id, state }) => [id, state]));
      expect(states).toMatchObject({ [oldCAID]: "RETIRED", [newCAID]: "SIGNING" });
      await until("no host trusts the old CA", () => testNetwork.hosts.every(trustsOnlyOneCa));
    },
    TEST_MS_MAX,
  );

  it("loses no packets between hosts, except during a restart of each host before nebula 1.7", async () => {
    await sleep(SETTLED_MS);
    for (const { lost, received } of await Promise.all(pings.map((ping) => ping.stop()))) {
      expect(lost).toBeLessThanOrEqual(lostMax(version));
      expect(received * PING_MS).toBeGreaterThan(SETTLED_MS);
    }
    for (const [from, to] of [
      [one, two],
      [two, one],
      [late, one],
    ] as const)
      await until("the hosts reach each other", () => from.probe.ping(to.address));
  });

  it("keeps an idle host reachable immediately", async () => {
    expect(await one.probe.ping(idle.address, 5)).toBe(true);
  });

  it("makes certificates of the old CA invalid", async () => {
    await late.stop();
    await outdated.runDuring(async () =>
      expect(await countEchoesBetween(late, [lighthouse, one, two])).toBe(0),
    );
  });
});
