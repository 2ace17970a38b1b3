import { createRole, getCaRotation, listCertificateAuthorities, rotateCa } from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CopiedIdentity } from "./copied-identity.ts";
import type { OverlayHost } from "./overlay-host.ts";
import type { PingResult } from "./probe.ts";
import { sleep, until } from "./shell.ts";
import { countEchoesBetween } from "./count-echoes.ts";
import { nebulaVersions, TestNetwork } from "./test-network.ts";

const PING_MS = 100;
/** By then nebula has looked at all its tunnels again, and closed those it no longer trusts. */
const SETTLED_MS = 12_000;
/** What a restart may cost: the agent gives nebula five seconds to end. */
const RESTART_MS_MAX = 5000;
/** The server lets idle tunnels be renewed, for 75 s, before it retires the old one. */
const STEP_SECONDS_MAX = 200;
const TEST_MS_MAX = 240_000;

/**
 * Packets between two hosts that a new authority may cost. From 1.7 on nebula shakes hands anew beside the old
 * tunnel; before, a certificate is only taken over by a restart, of which there is one at each end.
 */
const lostMax = (version: string) => (version === "1.6.1" ? (2 * RESTART_MS_MAX) / PING_MS : 0);

describe.each(nebulaVersions)("a new certificate authority, with nebula %s", (version) => {
  let testNetwork: TestNetwork;
  let lighthouse: OverlayHost;
  let one: OverlayHost;
  let two: OverlayHost;
  let idle: OverlayHost;
  let late: OverlayHost;
  let pings: { stop: () => Promise<PingResult> }[];
  let outdated: CopiedIdentity;

  beforeAll(async () => {
    testNetwork = await TestNetwork.create(version);
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
    if (!current) throw new Error("Nobody has begun a rotation.");
    return current;
  };
  const comesTo = (step: string, ...names: string[]) =>
    until(
      `${step}, waiting for [${names.join()}]`,
      async () => {
        const current = await rotation();
        const waitingFor = current.waitingFor.hosts.map(({ name }) => name);
        return current.step === step && waitingFor.join() === names.join();
      },
      { seconds: STEP_SECONDS_MAX },
    );

  async function restartServer(): Promise<void> {
    await testNetwork.killServer();
    await testNetwork.startServer();
  }

  /** Two certificates in its configuration: its own and the authority it came from. */
  const trustsOnlyOne = (host: OverlayHost) =>
    host.file("nebula.yml").match(/BEGIN NEBULA CERTIFICATE/g)?.length === 2;

  it("is trusted by all before it signs: a host that is offline is waited for by name, across a kill of the server", async () => {
    const { step } = await testNetwork.call(rotateCa, { params: params(), body: {} });
    expect(step).toBe("TRUST");
    await comesTo("TRUST", "late");
    await restartServer();
    const { waitingFor, ...rest } = await rotation();
    expect(rest.step).toBe("TRUST");
    expect(waitingFor).toMatchObject({ hostCount: 1, hosts: [{ id: late.id, name: "late" }] });
  });

  it("signs for all before the old one goes, across a kill of the server", async () => {
    testNetwork.proxy.decideDelivery = ({ hostID, type }) =>
      hostID === late.id && type === "DoUpdate" ? "lost" : "delivered";
    late.start();
    await comesTo("REISSUE", "late");
    await restartServer();
    await comesTo("REISSUE", "late");
    await until("a certificate of the old one is still good", () => late.probe.ping(one.address));
    expect(trustsOnlyOne(late)).toBe(false);
    outdated = new CopiedIdentity(late);
  });

  it(
    "comes to its end by itself when the last one is back: the old one is retired",
    async () => {
      testNetwork.proxy.decideDelivery = () => "delivered";
      await comesTo("DONE");
      const { oldCAID, newCAID } = await rotation();
      const { data } = await testNetwork.call(listCertificateAuthorities);
      const states = Object.fromEntries(data.map(({ id, state }) => [id, state]));
      expect(states).toMatchObject({ [oldCAID]: "RETIRED", [newCAID]: "SIGNING" });
      await until("nobody trusts the old one", () => testNetwork.hosts.every(trustsOnlyOne));
    },
    TEST_MS_MAX,
  );

  it("costs no packet between hosts; before nebula 1.7 those of one restart at each end", async () => {
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
      await until("they reach one another", () => from.probe.ping(to.address));
  });

  it("leaves a host that nobody has talked to where it can be found at once", async () => {
    expect(await one.probe.ping(idle.address, 5)).toBe(true);
  });

  it("leaves certificates of the old one worthless", async () => {
    await late.stop();
    await outdated.runDuring(async () =>
      expect(await countEchoesBetween(late, [lighthouse, one, two])).toBe(0),
    );
  });
});
