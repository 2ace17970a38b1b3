/** Packets take the way over a relay when there is no direct one; proven by what goes through its wire. */
import { createRole, deleteHost, updateNetwork } from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OverlayHost } from "./overlay-host.ts";
import { until } from "./shell.ts";
import { nebulaVersions, TestNetwork } from "./test-network.ts";

const [COUNT, SIZE] = [10, 1000];

/** What a machine's wire has to carry, each way, when the echoes go through it: far more than goes on anyway. */
const CARRIED = 2 * COUNT * SIZE;

describe.each(nebulaVersions)("with nebula %s", (version) => {
  let testNetwork: TestNetwork;
  let roleID: string;
  let lighthouse: OverlayHost;
  let relay: OverlayHost;
  let one: OverlayHost;
  let two: OverlayHost;

  beforeAll(async () => {
    testNetwork = await TestNetwork.create(version);
    const body = { name: "host", firewallRules: [{ protocol: "ICMP" as const }] };
    roleID = (await testNetwork.call(createRole, { body })).id;
    lighthouse = await testNetwork.addHost("lighthouse", { isLighthouse: true, isStatic: true, roleID });
    relay = await testNetwork.addHost("relay", { isRelay: true, isStatic: true, roleID });
    one = await testNetwork.addHost("one", { roleID });
    two = await testNetwork.addHost("two", { roleID });
    await testNetwork.startHosts(lighthouse);
  });
  afterAll(() => testNetwork.remove());

  /** Whose wire carried large echoes from one host to another; rejects when none came back. */
  async function carriers(from: OverlayHost, to: OverlayHost): Promise<string[]> {
    const between = [lighthouse, relay];
    const before = await Promise.all(between.map(({ machine }) => machine.traffic("eth0")));
    await from.machine.run("ping", "-n", "-q", "-i", "0.1", "-c", `${COUNT}`, "-s", `${SIZE}`, to.address);
    const after = await Promise.all(between.map(({ machine }) => machine.traffic("eth0")));
    return between
      .filter((_, at) =>
        (["received", "sent"] as const).every((way) => after[at]![way] - before[at]![way] >= CARRIED),
      )
      .map(({ machine }) => machine.name);
  }

  it("hosts that reach one another do not trouble the relay", async () => {
    await until("one reaches two", () => one.probe.ping(two.address));
    expect(await carriers(one, two)).toEqual([]);
  });

  it("a relay takes over when the direct way is cut while they talk", async () => {
    await one.machine.blockTraffic(two.machine);
    await until("one reaches two again", () => one.probe.ping(two.address), { seconds: 90 });
    expect(await carriers(one, two)).toEqual(["relay"]);
    expect(await carriers(two, one)).toEqual(["relay"]);
  });

  it("a relay carries between hosts that never had a direct way", async () => {
    const three = await testNetwork.addHost("three", { roleID });
    await three.machine.blockTraffic(one.machine);
    three.start();
    await until("three reaches one", () => three.probe.ping(one.address), { seconds: 60 });
    expect(await carriers(three, one)).toEqual(["relay"]);
  });

  it("lighthouses do it when the network says so, and the relay is gone", async () => {
    const params = { networkID: testNetwork.network.id };
    await testNetwork.call(updateNetwork, { params, body: { name: "overlay", lighthousesAsRelays: true } });
    await testNetwork.call(deleteHost, { params: { hostID: relay.id } });
    const carrying = () => carriers(one, two).catch(() => []);
    await until(
      "one reaches two through the lighthouse",
      async () => (await carrying()).join() === "lighthouse",
      { seconds: 120 },
    );
    expect(await carriers(two, one)).toEqual(["lighthouse"]);
  });
});
