/** Relays forward packets between hosts without a direct connection, which the relay's traffic proves. */
import {
  createRole,
  deleteHost,
  getHostState,
  getHostTraffic,
  type Tunnel,
  updateNetwork,
  updateRole,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { ECHO_BYTES, findForwarders } from "./find-forwarders.ts";
import type { OverlayHost } from "./overlay-host.ts";
import { until } from "../until.ts";
import { selectVersions } from "./select-cases.ts";
import { TestNetwork } from "./test-network.ts";
import { describeStories } from "../story.ts";

describeStories(selectVersions("1.11.0"), "with nebula %s", (version) => {
  let testNetwork: TestNetwork;
  let roleID: string;
  let lighthouse: OverlayHost;
  let relay: OverlayHost;
  let one: OverlayHost;
  let two: OverlayHost;

  beforeAll(async () => {
    testNetwork = await TestNetwork.create(version, inject("server"));
    const body = { name: "host", firewallRules: [{ protocol: "ICMP" as const }] };
    roleID = (await testNetwork.call(createRole, { body })).id;
    lighthouse = await testNetwork.addHost("lighthouse", { isLighthouse: true, isStatic: true, roleID });
    relay = await testNetwork.addHost("relay", { isRelay: true, isStatic: true, roleID });
    one = await testNetwork.addHost("one", { roleID });
    two = await testNetwork.addHost("two", { roleID });
    await testNetwork.startHosts(lighthouse);
  });
  afterAll(() => testNetwork.remove());

  const forwarders = (from: OverlayHost, to: OverlayHost) =>
    findForwarders([lighthouse, relay], from, to.address);
  const stateOf = ({ id }: OverlayHost) => testNetwork.call(getHostState, { params: { hostID: id } });

  /** The tunnel between two hosts, when the first one has reported this path. */
  async function findTunnel(from: OverlayHost, to: OverlayHost, path: Tunnel["path"]): Promise<Tunnel> {
    let found: Tunnel | undefined;
    await until(
      `the tunnel of ${from.machine.name} to ${to.machine.name} is ${path}`,
      async () => {
        const { tunnels } = await stateOf(from);
        found = tunnels.find(({ hostID }) => hostID === to.id);
        return found?.path === path;
      },
      { seconds: 60 },
    );
    return found!;
  }

  it("hosts with a direct connection don't use the relay", async () => {
    await until("one reaches two", () => one.probe.ping(two.address));
    expect(await forwarders(one, two)).toEqual([]);
  });

  it("agents report direct tunnels, the system and where others reach the host", async () => {
    const tunnel = await findTunnel(one, lighthouse, "direct");
    expect(tunnel).toMatchObject({
      hostName: "lighthouse",
      remoteAddress: `${lighthouse.machine.address}:4242`,
      relays: [],
      handshakeAt: expect.any(String),
      latencyMs: expect.any(Number),
    });
    await findTunnel(lighthouse, one, "direct");
    const { system, publicEndpoints } = await stateOf(one);
    expect(system).toMatchObject({
      os: expect.stringMatching(/\w/),
      arch: expect.stringMatching(/^(amd|arm)64$/),
    });
    expect(publicEndpoints[0]).toMatch(new RegExp(`^${one.machine.address}:\\d+$`));
  });

  it("a relay takes over when the direct connection is interrupted", async () => {
    await one.machine.blockTraffic(two.machine);
    await until("one reaches two again", () => one.probe.ping(two.address), { seconds: 90 });
    expect(await forwarders(one, two)).toEqual(["relay"]);
    expect(await forwarders(two, one)).toEqual(["relay"]);
    expect(await findTunnel(one, two, "relayed")).toMatchObject({
      remoteAddress: null,
      relays: [{ vpnIp: relay.address, hostID: relay.id, hostName: "relay" }],
      latencyMs: null,
    });
  });

  it("agents report the traffic of the overlay, at most once a minute", async () => {
    const sum = (buckets: (number | null)[]) =>
      buckets.reduce<number>((total, bytes) => total + (bytes ?? 0), 0);
    let port = 1000;
    const hasTraffic = async () => {
      // An agent reports when it has applied a change.
      const rules = [
        { protocol: "ICMP" as const },
        { protocol: "TCP" as const, portRange: { from: port, to: port } },
      ];
      port += 1;
      await testNetwork.call(updateRole, {
        params: { roleID },
        body: { name: "host", firewallRules: rules },
      });
      const { receivedBytes, sentBytes } = await testNetwork.call(getHostTraffic, {
        params: { hostID: one.id },
      });
      return Math.min(sum(receivedBytes), sum(sentBytes)) >= ECHO_BYTES;
    };
    await until("the traffic is reported", hasTraffic, { seconds: 90, everyMs: 5000 });
  });

  it("a relay connects hosts that never had a direct connection", async () => {
    const three = await testNetwork.addHost("three", { roleID });
    await three.machine.blockTraffic(one.machine);
    three.start();
    await until("three reaches one", () => three.probe.ping(one.address), { seconds: 60 });
    expect(await forwarders(three, one)).toEqual(["relay"]);
  });

  it("lighthouses are used as relays if the network allows it and the relay is deleted", async () => {
    const params = { networkID: testNetwork.network.id };
    await testNetwork.call(updateNetwork, { params, body: { name: "overlay", lighthousesAsRelays: true } });
    await testNetwork.call(deleteHost, { params: { hostID: relay.id } });
    const forwardersNow = () => forwarders(one, two).catch(() => []);
    await until(
      "one reaches two through the lighthouse",
      async () => (await forwardersNow()).join() === "lighthouse",
      { seconds: 120 },
    );
    expect(await forwarders(two, one)).toEqual(["lighthouse"]);
  });
});
