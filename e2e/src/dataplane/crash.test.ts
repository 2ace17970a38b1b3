/** Kills the agent at every step of an update: it must start again, and packets must flow. */
import { watch } from "node:fs";
import { updateHostV3 } from "@lightkeeper/contract";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import type { OverlayHost } from "./overlay-host.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../until.ts";
import { PingableNetwork } from "./pingable-network.ts";
import { selectVersions } from "./select-cases.ts";
import type { TestNetwork } from "./test-network.ts";
import { describeStories } from "../story.ts";

const RANDOM_ROUNDS = 5;
const RANDOM_MS_MAX = 1500;
/** If the first handshake is lost, nebula 1.6 contacts the lighthouse again after a minute. */
const PACKETS_SECONDS_MAX = 120;

/** Kills the agent at a certain step, and resolves when it's dead. */
type KillTrigger = (testNetwork: TestNetwork, host: OverlayHost) => Promise<void>;

const whenRequested: KillTrigger = (testNetwork, host) =>
  new Promise((done) => {
    testNetwork.proxy.decideDelivery = ({ hostID, type }) => {
      if (hostID !== host.id || type !== "DoUpdate") return "delivered";
      done(host.stop("SIGKILL"));
      return "lost";
    };
  });

const whenReplied: KillTrigger = (testNetwork, host) =>
  new Promise((done) => {
    testNetwork.proxy.decideReply = ({ hostID, type }, { hasUpdate }) => {
      if (hostID === host.id && (type === "DoUpdate" || hasUpdate)) done(host.stop("SIGKILL"));
      return "delivered";
    };
  });

/** When the files have been written in this order; the agent may continue a little before it's dead. */
const whenWritten =
  (...names: RegExp[]): KillTrigger =>
  (_, host) =>
    new Promise((done) => {
      const awaited = [...names];
      const watcher = watch(host.stateDirectory, (_event, file) => {
        if (!awaited[0]?.test(file ?? "")) return;
        awaited.shift();
        if (awaited.length > 0) return;
        watcher.close();
        done(host.stop("SIGKILL"));
      });
    });

/** Configurations come with the reply to a poll, but certificates are requested. */
const requestSteps: { name: string; trigger: KillTrigger }[] = [
  { name: "before it requests an update", trigger: whenWritten(/^probe/) },
  { name: "when it requests an update", trigger: whenRequested },
];
const replySteps: { name: string; trigger: KillTrigger }[] = [
  { name: "when the server replies", trigger: whenReplied },
  { name: "while it stores the reply", trigger: whenWritten(/^state\.json\..+\.unfinished$/) },
  { name: "when the reply is stored", trigger: whenWritten(/^state\.json$/) },
  { name: "while nebula tests the configuration", trigger: whenWritten(/^nebula-test\.yml$/) },
  { name: "when the configuration is written", trigger: whenWritten(/^nebula\.yml$/) },
  { name: "while nebula applies it", trigger: whenWritten(/^nebula\.yml$/, /^nebula\.log$/) },
];

describeStories(selectVersions("1.9.3"), "an agent with nebula %s", (version) => {
  let network: PingableNetwork;
  let testNetwork: TestNetwork;
  let roleID: string;
  let lighthouse: OverlayHost;
  let host: OverlayHost;

  beforeAll(async () => {
    network = await PingableNetwork.create(version, inject("server"));
    ({ testNetwork, roleID, lighthouse } = network);
    host = await testNetwork.addHost("host", { roleID });
    await testNetwork.startHosts(lighthouse);
  });
  afterAll(() => testNetwork.remove());

  /** Causes a new certificate and a restart of nebula. */
  async function moveAndRename(): Promise<void> {
    network.port += 1;
    const body = { name: `host-${network.port}`, roleID, listenPort: network.port };
    await testNetwork.call(updateHostV3, { params: { hostID: host.id }, body });
  }

  async function expectRecovery(): Promise<void> {
    testNetwork.proxy.decideDelivery = () => "delivered";
    testNetwork.proxy.decideReply = () => "delivered";
    expect(host.isAlive()).toBe(false);
    expect(host.state()).toMatchObject({ hostID: host.id });
    host.start();
    await until("the agent has the new configuration", () =>
      new RegExp(`port: "?${network.port}"?\n`).test(host.file("nebula.yml")),
    );
    await until("nebula runs it", () => isSettled(host));
    await until("packets flow", () => lighthouse.probe.ping(host.address), { seconds: PACKETS_SECONDS_MAX });
    expect(await host.nebulaPids()).toHaveLength(1);
  }

  it.each(replySteps)(
    "killed $name, recovers and applies a change of rules, and packets flow meanwhile",
    async ({ trigger }) => {
      const killed = trigger(testNetwork, host);
      await network.openNextPort(host);
      await killed;
      await until("packets flow", () => lighthouse.probe.ping(host.address));
      await expectRecovery();
      await until("the port is open", () => network.isOpen(host));
    },
  );

  it.each([...requestSteps, ...replySteps])(
    "killed $name, recovers and applies a change that needs a restart of nebula",
    async ({ trigger }) => {
      const killed = trigger(testNetwork, host);
      await moveAndRename();
      await killed;
      await expectRecovery();
    },
  );

  it("recovers from being killed at any time", async () => {
    for (let round = 0; round < RANDOM_ROUNDS; round += 1) {
      await (round % 2 === 0 ? network.openNextPort(host) : moveAndRename());
      await sleep(Math.random() * RANDOM_MS_MAX);
      await host.stop("SIGKILL");
      await expectRecovery();
    }
    expect(host.output()).not.toContain("enrolled again");
  });
});

/** Whether nebula has accepted the server's configuration. */
function isSettled(host: OverlayHost): boolean {
  const { intended, lastGood } = host.state();
  return lastGood !== null && JSON.stringify(intended) === JSON.stringify(lastGood);
}
