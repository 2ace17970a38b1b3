/**
 * Upgrades a network with real hosts to version 2 certificates under continuous pings, and kills the server and agents
 * in every step. UPGRADE_HOSTS sets the number of hosts (`npm run dataplane:upgrade`).
 */
import {
  finishNetworkUpgrade,
  getHostV2,
  getNetworkUpgrade,
  getNetworkV2,
  listCertificateAuthorities,
  type NetworkUpgrade,
  revertNetworkUpgrade,
  upgradeNetwork,
} from "@lightkeeper/contract";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../until.ts";
import type { OverlayHost } from "./overlay-host.ts";
import { PingableNetwork } from "./pingable-network.ts";
import type { PingResult } from "./probe.ts";
import type { TestNetwork } from "./test-network.ts";

const HOSTS = Number(process.env.UPGRADE_HOSTS ?? 4);
const PING_MS = 100;
/** In this time, nebula checks all its tunnels and closes those it no longer trusts. */
const SETTLED_MS = 12_000;
/** The server waits 75 s for idle tunnels before it retires the old CA. */
const STEP_SECONDS_MAX = 200;
const TEST_MS_MAX = 600_000;
const KILLED_AGENTS = Math.max(1, Math.floor(HOSTS / 5));

describe(`a network of ${HOSTS + 1} hosts with version 1 certificates`, () => {
  let network: PingableNetwork;
  let testNetwork: TestNetwork;
  let hosts: OverlayHost[];
  let pids: number[][];
  let pings: { stop: () => Promise<PingResult> }[];

  beforeAll(async () => {
    network = await PingableNetwork.createWithServer("1.11.0");
    testNetwork = network.testNetwork;
    for (let index = 1; index <= HOSTS; index += 1)
      await testNetwork.addHost(`host-${index}`, { roleID: network.roleID });
    hosts = testNetwork.hosts;
    await testNetwork.startHosts(network.lighthouse);
    for (const [from, to] of pairs())
      await until(`${from.machine.name} reaches ${to.machine.name}`, () => from.probe.ping(to.address));
    for (const host of hosts)
      await host.waitForStatus("nebula has started", ({ configHash }) => configHash !== null);
    pids = await Promise.all(hosts.map((host) => host.nebulaPids()));
    pings = pairs().map(([from, to]) => from.probe.startPing(to.address, PING_MS));
  }, TEST_MS_MAX);
  afterAll(() => testNetwork.remove());

  /** Each host and the next one; the lighthouse is one of them. */
  const pairs = () => hosts.map((host, index) => [host, hosts[(index + 1) % hosts.length]!] as const);
  const params = () => ({ networkID: testNetwork.network.id });
  const read = () => testNetwork.call(getNetworkUpgrade, { params: params() });
  const waitFor = (description: string, condition: (upgrade: NetworkUpgrade | null) => boolean) =>
    until(
      description,
      async () => {
        const upgrade = await read();
        return condition(upgrade);
      },
      { seconds: STEP_SECONDS_MAX, everyMs: 250 },
    );

  let nextKilled = 0;
  /** Kills the server and some agents, each time others, and starts them again. */
  async function killServerAndAgents(): Promise<void> {
    const agents = Array.from({ length: KILLED_AGENTS }, () => hosts[nextKilled++ % hosts.length]!);
    await Promise.all([testNetwork.killServer(), ...agents.map((agent) => agent.stop("SIGKILL"))]);
    await testNetwork.startServer();
    for (const agent of agents) agent.start();
  }

  const countCertificates = (host: OverlayHost) =>
    host
      .file("nebula.yml")
      .split("\n  key:")[0]!
      .match(/BEGIN NEBULA CERTIFICATE/g)?.length;

  it(
    "gets certificates of both versions, step by step, while the server and agents are killed",
    async () => {
      await testNetwork.call(upgradeNetwork, { params: params(), body: {} });
      await killServerAndAgents();
      for (const step of ["TRUST", "BOTH", "INITIATE"] as const) {
        await waitFor(step, (upgrade) => upgrade?.step === step);
        await killServerAndAgents();
      }
      await waitFor("the last step can start", (upgrade) => upgrade?.canFinish === true);
      // Two CAs and two certificates.
      for (const host of hosts) expect(countCertificates(host)).toBe(4);
    },
    TEST_MS_MAX,
  );

  it(
    "gets only version 2 certificates in the last step, and retires the old CA",
    async () => {
      await testNetwork.call(finishNetworkUpgrade, { params: params() });
      await killServerAndAgents();
      await waitFor("DONE", (upgrade) => upgrade?.step === "DONE");
      await until(
        "every host trusts only the new CA",
        () => hosts.every((host) => countCertificates(host) === 2),
        {
          seconds: 60,
        },
      );
      for (const host of hosts)
        expect(host.file("nebula.yml")).not.toContain("BEGIN NEBULA CERTIFICATE-----");
      const { data } = await testNetwork.call(listCertificateAuthorities);
      expect(data.map(({ certVersion, state }) => `${certVersion} ${state}`)).toEqual([
        "1 RETIRED",
        "2 SIGNING",
      ]);
      expect((await testNetwork.call(getNetworkV2, { params: params() })).certVersion).toBe(2);
    },
    TEST_MS_MAX,
  );

  it(
    "loses no ping and restarts no nebula",
    async () => {
      await sleep(SETTLED_MS);
      const results = await Promise.all(pings.map((ping) => ping.stop()));
      expect(results.map(({ lost }) => lost)).toEqual(results.map(() => 0));
      for (const { received } of results) expect(received * PING_MS).toBeGreaterThan(SETTLED_MS);
      expect(await Promise.all(hosts.map((host) => host.nebulaPids()))).toEqual(pids);
      const [received, sent] = [
        results.reduce((sum, result) => sum + result.received, 0),
        results.reduce((sum, result) => sum + result.sent, 0),
      ];
      console.info(
        `${received} of ${sent} pings between ${hosts.length} hosts were answered, none was lost.`,
      );
    },
    TEST_MS_MAX,
  );

  it("uses IPv6 as soon as nebula is restarted", async () => {
    const [one, two] = [hosts[1]!, hosts[2]!];
    for (const host of [one, two, network.lighthouse]) {
      await host.stop("SIGTERM");
      host.start();
    }
    const { ipAddresses } = await testNetwork.call(getHostV2, { params: { hostID: two.id } });
    expect(ipAddresses).toHaveLength(2);
    await until("the hosts reach each other over IPv6", () => one.probe.ping(ipAddresses[1]!), {
      seconds: 60,
    });
  });
});

describe("an upgrade that is reverted", () => {
  let network: PingableNetwork;
  let testNetwork: TestNetwork;
  let one: OverlayHost;

  beforeAll(async () => {
    network = await PingableNetwork.createWithServer("1.11.0");
    testNetwork = network.testNetwork;
    one = await testNetwork.addHost("one", { roleID: network.roleID });
    await testNetwork.startHosts(network.lighthouse);
  });
  afterAll(() => testNetwork.remove());

  it(
    "leaves every host with its version 1 certificate",
    async () => {
      const params = { networkID: testNetwork.network.id };
      await testNetwork.call(upgradeNetwork, { params, body: {} });
      const read = () => testNetwork.call(getNetworkUpgrade, { params });
      await until("the last step can start", async () => (await read())?.canFinish === true, {
        seconds: STEP_SECONDS_MAX,
      });
      await testNetwork.call(revertNetworkUpgrade, { params });
      await until("the upgrade is reverted", async () => (await read()) === null, {
        seconds: STEP_SECONDS_MAX,
      });
      await until("the CA is gone", () => !one.file("nebula.yml").includes("CERTIFICATE V2"), {
        seconds: 60,
      });
      await until("the hosts reach each other", () => one.probe.ping(network.lighthouse.address));
      expect((await testNetwork.call(getNetworkV2, { params })).cidrs).toHaveLength(1);
    },
    TEST_MS_MAX,
  );
});
