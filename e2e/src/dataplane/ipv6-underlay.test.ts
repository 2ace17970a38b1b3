/** Machines that reach each other, and the control plane, only over IPv6. */
import { getHostState } from "@lightkeeper/contract";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { describeParallelStory } from "../story.ts";
import { until } from "../until.ts";
import type { NetworkKind } from "./family-network.ts";
import { findForwarders } from "./find-forwarders.ts";
import type { OverlayHost } from "./overlay-host.ts";
import { PingableNetwork } from "./pingable-network.ts";
import { selectCases } from "./select-cases.ts";
import type { TestNetwork } from "./test-network.ts";

const ipv4: NetworkKind = { name: "an IPv4 overlay", version: "1.9.3", body: {} };
const dualStack: NetworkKind = {
  name: "a dual-stack overlay",
  version: "1.11.0",
  body: { certVersion: 2, cidrs: ["10.46.0.0/16", "fd46::/64"] },
};
const kinds = [ipv4, { ...ipv4, version: "1.11.0" as const }, dualStack];

for (const { name, version, body } of selectCases(kinds, [ipv4, dualStack]))
  describeParallelStory(`${name} over IPv6, with nebula ${version}`, () => {
    let testNetwork: TestNetwork;
    let lighthouse: OverlayHost;
    let relay: OverlayHost;
    let one: OverlayHost;
    let two: OverlayHost;
    let distant: OverlayHost;

    beforeAll(async () => {
      const network = await PingableNetwork.create(version, inject("server"), { body, underlay: "IPv6" });
      ({ testNetwork, lighthouse } = network);
      const { roleID } = network;
      relay = await testNetwork.addHost("relay", { isRelay: true, isStatic: true, roleID });
      one = await testNetwork.addHost("one", { roleID });
      two = await testNetwork.addHost("two", { roleID });
      distant = await testNetwork.addHost("distant", { roleID });
      await distant.machine.blockTraffic(one.machine);
      await testNetwork.startHosts(lighthouse);
    });
    afterAll(() => testNetwork.remove());

    const expectPings = async (from: OverlayHost, to: OverlayHost) => {
      for (const address of to.addresses)
        await until(`${from.machine.name} reaches ${address}`, () => from.probe.ping(address));
    };

    it.sequential("the lighthouse and the relay have static IPv6 addresses", () => {
      for (const { machine } of [lighthouse, relay])
        expect(one.file("nebula.yml")).toContain(`[${machine.address}]:4242`);
    });

    it.sequential("hosts find each other through the lighthouse and connect directly", async () => {
      await expectPings(one, two);
      await expectPings(two, one);
      for (const address of two.addresses)
        expect(await findForwarders([lighthouse, relay], one, address)).toEqual([]);
      const remote = async () => {
        const { tunnels } = await testNetwork.call(getHostState, { params: { hostID: one.id } });
        return tunnels.find(({ hostID }) => hostID === two.id)?.remoteAddress ?? "";
      };
      await until("the agent reports the tunnel", async () =>
        (await remote()).startsWith(`[${two.machine.address}]:`),
      );
    });

    it.sequential("a relay connects hosts without a direct connection", async () => {
      await expectPings(one, distant);
      for (const address of distant.addresses)
        expect(await findForwarders([lighthouse, relay], one, address)).toEqual(["relay"]);
    });
  });
