/** kill -9 of the agent at every step of an update: whatever is left must start, and packets must flow. */
import { watch } from "node:fs";
import { createRole, updateHostV3, updateRole } from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OverlayHost } from "./overlay-host.ts";
import { sleep, until } from "./shell.ts";
import { nebulaVersions, TestNetwork } from "./test-network.ts";

const FIRST_PORT = 5000;
const RANDOM_ROUNDS = 5;
const RANDOM_MS_MAX = 1500;

/** Kills the agent when the moment comes, and resolves then. */
type Trap = (testNetwork: TestNetwork, host: OverlayHost) => Promise<void>;

const isUpdate = (type: string | undefined) => type === "DoUpdate" || type === "DoConfigUpdate";

const whenAsked: Trap = (testNetwork, host) =>
  new Promise((done) => {
    testNetwork.proxy.decideDelivery = ({ hostID, type }) => {
      if (hostID !== host.id || !isUpdate(type)) return "delivered";
      done(host.stop("SIGKILL"));
      return "lost";
    };
  });

const whenAnswered: Trap = (testNetwork, host) =>
  new Promise((done) => {
    testNetwork.proxy.onReply = ({ hostID, type }) => {
      if (hostID === host.id && isUpdate(type)) done(host.stop("SIGKILL"));
    };
  });

/** The files are written or replaced, one after the other; the agent may come a little further before it is dead. */
const whenWritten =
  (...names: RegExp[]): Trap =>
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

const moments: { name: string; trap: Trap }[] = [
  { name: "before it asks for an update", trap: whenWritten(/^probe/) },
  { name: "when its request is on the way", trap: whenAsked },
  { name: "when the answer is on the way", trap: whenAnswered },
  { name: "while it stores the answer", trap: whenWritten(/^state\.json\..+\.unfinished$/) },
  { name: "when the answer is stored", trap: whenWritten(/^state\.json$/) },
  { name: "while nebula checks the configuration", trap: whenWritten(/^nebula-test\.yml$/) },
  { name: "when the configuration is there for nebula", trap: whenWritten(/^nebula\.yml$/) },
  { name: "while nebula takes it over", trap: whenWritten(/^nebula\.yml$/, /^nebula\.log$/) },
];

describe.each(nebulaVersions)("an agent with nebula %s", (version) => {
  let testNetwork: TestNetwork;
  let roleID: string;
  let lighthouse: OverlayHost;
  let host: OverlayHost;
  let port = FIRST_PORT;

  beforeAll(async () => {
    testNetwork = await TestNetwork.create(version);
    const body = { name: "pingable", firewallRules: [{ protocol: "ICMP" as const }] };
    roleID = (await testNetwork.call(createRole, { body })).id;
    lighthouse = await testNetwork.addHost("lighthouse", { isLighthouse: true, isStatic: true, roleID });
    host = await testNetwork.addHost("host", { roleID });
    await testNetwork.startHosts(lighthouse);
  });
  afterAll(() => testNetwork.remove());

  /** Followed by a reload. */
  async function openNextPort(): Promise<void> {
    port += 1;
    await host.probe.serve("tcp", port);
    const firewallRules = [
      { protocol: "ICMP" as const },
      { protocol: "TCP" as const, portRange: { from: port, to: port } },
    ];
    await testNetwork.call(updateRole, { params: { roleID }, body: { firewallRules } });
  }

  /** Followed by a new certificate and a restart of nebula. */
  async function moveAndRename(): Promise<void> {
    port += 1;
    const body = { name: `host-${port}`, roleID, listenPort: port };
    await testNetwork.call(updateHostV3, { params: { hostID: host.id }, body });
  }

  async function expectComeback(): Promise<void> {
    testNetwork.proxy.decideDelivery = () => "delivered";
    testNetwork.proxy.onReply = () => undefined;
    expect(host.isAlive()).toBe(false);
    expect(host.state()).toMatchObject({ hostID: host.id });
    host.start();
    await until("it has what it should have", () =>
      new RegExp(`port: "?${port}"?\n`).test(host.file("nebula.yml")),
    );
    await until("its nebula runs it", () => isSettled(host));
    await until("packets flow", () => lighthouse.probe.ping(host.address));
    expect(await host.nebulaPids()).toHaveLength(1);
  }

  describe.each(moments)("killed $name", ({ trap }) => {
    it("comes back and follows a change of rules; packets went on meanwhile", async () => {
      const killed = trap(testNetwork, host);
      await openNextPort();
      await killed;
      await until("packets flow", () => lighthouse.probe.ping(host.address));
      await expectComeback();
      await until("the port is open", () => lighthouse.probe.reach("tcp", host.address, port));
    });

    it("comes back and follows a change that nebula must be restarted for", async () => {
      const killed = trap(testNetwork, host);
      await moveAndRename();
      await killed;
      await expectComeback();
    });
  });

  it("comes back from being killed at any moment", async () => {
    for (let round = 0; round < RANDOM_ROUNDS; round += 1) {
      await (round % 2 === 0 ? openNextPort() : moveAndRename());
      await sleep(Math.random() * RANDOM_MS_MAX);
      await host.stop("SIGKILL");
      await expectComeback();
    }
    expect(host.output()).not.toContain("enrolled again");
  });
});

/** Nebula runs what the server wants, and the agent has noted it. */
function isSettled(host: OverlayHost): boolean {
  const { intended, lastGood } = host.state();
  return lastGood !== null && JSON.stringify(intended) === JSON.stringify(lastGood);
}
