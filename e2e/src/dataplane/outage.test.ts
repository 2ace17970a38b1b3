import { readFileSync } from "node:fs";
import { createRole, listHostsV2, updateRole } from "@lightkeeper/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { OverlayHost } from "./overlay-host.ts";
import { until } from "../until.ts";
import { selectVersions } from "./select-cases.ts";
import { TestNetwork } from "./test-network.ts";
import { describeStories } from "../story.ts";

const PORT = 8080;
const ATTEMPTS = 5;
const TICKS_PER_SECOND = 100;
/** Without random times, the pauses of the hosts differ by less. */
const SPREAD_MIN = 0.05;
/** Share of one CPU core. */
const CPU_SHARE_MAX = 0.05;

describeStories(selectVersions("1.9.3"), "hosts with nebula %s", (version) => {
  let testNetwork: TestNetwork;
  let roleID: string;
  let lighthouse: OverlayHost;
  let one: OverlayHost;
  let two: OverlayHost;

  beforeAll(async () => {
    testNetwork = await TestNetwork.createWithServer(version);
    const body = { name: "pingable", firewallRules: [{ protocol: "ICMP" as const }] };
    roleID = (await testNetwork.call(createRole, { body })).id;
    lighthouse = await testNetwork.addHost("lighthouse", { isLighthouse: true, isStatic: true, roleID });
    one = await testNetwork.addHost("one", { roleID });
    two = await testNetwork.addHost("two", { roleID });
    await two.probe.serve("tcp", PORT);
    await testNetwork.startHosts(lighthouse);
    await until("one reaches two", () => one.probe.ping(two.address));
  });
  afterAll(() => testNetwork.remove());

  const open = (...ports: number[]) => {
    const rules = ports.map((port) => ({ protocol: "TCP" as const, portRange: { from: port, to: port } }));
    const body = { firewallRules: [{ protocol: "ICMP" as const }, ...rules] };
    return testNetwork.call(updateRole, { params: { roleID }, body });
  };
  const isOpen = () => one.probe.reach("tcp", two.address, PORT);

  it("reach each other without the control plane, and retry less and less often, at random times and with little CPU", async () => {
    const ping = one.probe.startPing(two.address);
    await testNetwork.killServer();
    const diedAt = performance.now();
    const usedBefore = testNetwork.hosts.map(cpuSeconds);
    const attemptsOf = (host: OverlayHost) =>
      testNetwork.proxy.messages
        .filter(({ hostID, at }) => hostID === host.id && at > diedAt)
        .map(({ at }) => at);
    await until(
      `each agent has tried ${ATTEMPTS} times`,
      () => testNetwork.hosts.every((host) => attemptsOf(host).length >= ATTEMPTS),
      { seconds: 90 },
    );
    const seconds = (performance.now() - diedAt) / 1000;
    for (const [index, host] of testNetwork.hosts.entries())
      expect(cpuSeconds(host) - usedBefore[index]!).toBeLessThan(seconds * CPU_SHARE_MAX);
    const pauses = testNetwork.hosts.map((host) => gaps(attemptsOf(host).slice(0, ATTEMPTS)));
    for (const [first, , , fourth] of pauses) expect(fourth).toBeGreaterThan(first!);
    const spreads = pauses[0]!.map((_, attempt) => spreadOf(pauses.map((ofHost) => ofHost[attempt]!)));
    expect(Math.max(...spreads)).toBeGreaterThan(SPREAD_MIN);
    expect(await ping.stop()).toMatchObject({ lost: 0 });
  });

  it("start with their last configuration if their agents are restarted meanwhile", async () => {
    await two.stop();
    expect(await two.nebulaPids()).toEqual([]);
    await one.stop("SIGKILL");
    two.start();
    one.start();
    await until("one reaches two", () => one.probe.ping(two.address));
    for (const host of [one, two])
      await until("the agent is up", async () => (await host.status()).isRunning, { everyMs: 500 });
    expect((await two.status()).serverProblem).toContain("Can't reach");
    expect([...(await one.nebulaPids()), ...(await two.nebulaPids())]).toHaveLength(2);
  });

  it("apply the next change when the control plane is back", async () => {
    await testNetwork.startServer();
    await open(PORT);
    await until("the port is open", isOpen, { seconds: 90 });
    for (const host of [one, two])
      await host.waitForStatus("the host is connected", ({ serverProblem }) => serverProblem === null);
  });

  it("that don't get their configuration are shown as drifted until they have it", async () => {
    const drifted = async () => {
      const { data } = await testNetwork.call(listHostsV2, { query: { "filter.status": "drifted" } });
      return data.map(({ name }) => name);
    };
    let isLost = false;
    testNetwork.proxy.decideReply = ({ hostID }, { hasUpdate }) => {
      if (hostID !== two.id || !hasUpdate) return "delivered";
      isLost = true;
      return "lost";
    };
    await open();
    await until("the reply to two is lost", () => isLost);
    // A restart, because an agent reports its configuration at the start and then every few minutes.
    await two.stop();
    two.start();
    await until("two is drifted", async () => (await drifted()).join() === "two");
    expect(await isOpen()).toBe(true);
    testNetwork.proxy.decideReply = () => "delivered";
    await until("two is not drifted", async () => (await drifted()).length === 0, { seconds: 90 });
    await until("the port is closed", async () => !(await isOpen()));
  });
});

/** The largest difference, relative to the longest. */
const spreadOf = (pauses: number[]) => (Math.max(...pauses) - Math.min(...pauses)) / Math.max(...pauses);

/** The CPU time of the agent. */
function cpuSeconds({ pid }: OverlayHost): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13)
    .map(Number);
  return (user + system) / TICKS_PER_SECOND;
}

const gaps = (times: readonly number[]) => times.slice(1).map((time, index) => time - (times[index] ?? 0));
