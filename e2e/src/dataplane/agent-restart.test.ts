/** Kills agents under continuous pings: their Nebula keeps running, and the next agent continues with it. */
import { runHostCommand } from "@lightkeeper/contract";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { until } from "../until.ts";
import { describeStories } from "../story.ts";
import type { OverlayHost } from "./overlay-host.ts";
import { PingableNetwork } from "./pingable-network.ts";
import type { PingResult } from "./probe.ts";
import { selectCases } from "./select-cases.ts";
import type { TestNetwork } from "./test-network.ts";

const PING_MS = 100;
const ROUNDS = 3;
const versions = ["1.9.3", "1.11.0"] as const;

describeStories(selectCases(versions, ["1.11.0"]), "a killed agent with nebula %s", (version) => {
  let network: PingableNetwork;
  let testNetwork: TestNetwork;
  let one: OverlayHost;
  let two: OverlayHost;
  let pids: number[];
  let pings: { stop: () => Promise<PingResult> }[];

  beforeAll(async () => {
    network = await PingableNetwork.create(version, inject("server"));
    const { roleID, lighthouse } = network;
    testNetwork = network.testNetwork;
    one = await testNetwork.addHost("one", { roleID });
    two = await testNetwork.addHost("two", { roleID });
    await testNetwork.startHosts(lighthouse);
    await until("one reaches two", () => one.probe.ping(two.address));
    await until("two reaches one", () => two.probe.ping(one.address));
    // Nebula forwards packets a little before the agent considers it started.
    await one.waitForStatus("nebula has started", ({ configHash }) => configHash !== null);
    pids = await one.nebulaPids();
    pings = [
      one.probe.startPing(two.address, PING_MS),
      two.probe.startPing(one.address, PING_MS),
      one.probe.startPing(lighthouse.address, PING_MS),
    ];
  });
  afterAll(() => testNetwork.remove());

  it("leaves its nebula running for the next one, which reloads new rules", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await one.stop("SIGKILL");
      expect(await one.nebulaPids()).toEqual(pids);
      one.start();
      await network.openNextPort(one);
      await until("the port is open", () => network.isOpen(one));
      expect(await one.nebulaPids()).toEqual(pids);
    }
  });

  it("misses changes, which the next one applies", async () => {
    await one.stop("SIGKILL");
    await network.openNextPort(one);
    expect(await network.isOpen(one)).toBe(false);
    one.start();
    await until("the port is open", () => network.isOpen(one));
    expect(await one.nebulaPids()).toEqual(pids);
  });

  it("doesn't prevent debug commands by the next one", async () => {
    const body = { command: "PrintTunnel" as const, args: { target: two.address } };
    const params = { hostID: one.id };
    expect(await testNetwork.call(runHostCommand, { params, body })).toMatchObject({ vpnIp: two.address });
  });

  it("loses no ping", async () => {
    for (const { received, lost } of await Promise.all(pings.map((ping) => ping.stop()))) {
      expect(received).toBeGreaterThan(ROUNDS);
      expect(lost).toBe(0);
    }
  });

  it("stops its nebula only when it's stopped itself", async () => {
    await one.stop("SIGTERM");
    expect(await one.nebulaPids()).toEqual([]);
  });
});
