/** Clocks that differ. These tests shift the server's clock, which has the same effect as shifting all machines. */
import { updateHostV3 } from "@lightkeeper/contract";
import { DAY_SECONDS, MINUTE_SECONDS } from "@lightkeeper/contract/durations";
import { afterAll, beforeAll, expect, it } from "vitest";
import { shiftDatabaseClock } from "../database.ts";
import type { OverlayHost } from "./overlay-host.ts";
import { until } from "../until.ts";
import { PingableNetwork } from "./pingable-network.ts";
import { selectVersions } from "./select-cases.ts";
import type { TestNetwork } from "./test-network.ts";
import { describeStories } from "../story.ts";

describeStories(selectVersions("1.11.0"), "a machine with nebula %s", (version) => {
  let network: PingableNetwork;
  let testNetwork: TestNetwork;
  let roleID: string;
  let lighthouse: OverlayHost;
  let settled: OverlayHost;
  /** Hosts that enroll later: they can't be created then, because shifting the clock expires the session. */
  const prepared = new Map<string, { host: OverlayHost; code: string }>();

  beforeAll(async () => {
    network = await PingableNetwork.createWithServer(version);
    ({ testNetwork, roleID, lighthouse } = network);
    settled = await testNetwork.addHost("settled", { roleID });
    for (const name of ["ahead-day", "ahead-10min", "behind-45s", "behind-10min", "behind-day"])
      prepared.set(
        name,
        await testNetwork.createHost(name, { roleID, codeLifetimeSeconds: 2 * DAY_SECONDS }),
      );
    settled.start();
    await until("settled is reached", () => lighthouse.probe.ping(settled.address));
  });
  afterAll(() => testNetwork.remove());

  async function setServerAhead(seconds: number): Promise<void> {
    await shiftDatabaseClock(testNetwork.server.dataDir, seconds);
    await testNetwork.killServer();
    await testNetwork.startServer();
  }

  async function enroll(name: string): Promise<OverlayHost> {
    const { host, code } = prepared.get(name)!;
    await host.enroll(code);
    host.start();
    return host;
  }

  async function expectToFollowChanges(): Promise<void> {
    await network.openNextPort(settled);
    await until("the port is open", () => network.isOpen(settled), { seconds: 90 });
  }

  /** How many minutes the machine's clock is behind, according to its agent. */
  async function minutesBehind(host: OverlayHost): Promise<number> {
    await host.waitForStatus("the agent has noticed", ({ clockOffsetSeconds }) => clockOffsetSeconds !== 0);
    return Math.round((await host.status()).clockOffsetSeconds / MINUTE_SECONDS);
  }

  const expectRejectedCertificate = (host: OverlayHost) =>
    host.waitForStatus(
      "nebula rejects a certificate from the future",
      ({ nebulaProblem }) => nebulaProblem?.endsWith("nebula certificate for this host is expired") ?? false,
    );

  const waitForStatus = (host: OverlayHost, text: string) =>
    until(`the status contains ${text}`, async () => (await host.command("status")).includes(text));

  it.each([
    { difference: "a day", seconds: DAY_SECONDS, name: "ahead-day" },
    { difference: "10 minutes", seconds: 10 * MINUTE_SECONDS, name: "ahead-10min" },
  ])("whose clock is $difference ahead enrolls, polls and follows changes", async ({ seconds, name }) => {
    await setServerAhead(-seconds);
    await expectToFollowChanges();
    expect(await minutesBehind(settled)).toBe(-seconds / MINUTE_SECONDS);
    const host = await enroll(name);
    await until("the host is reached", () => lighthouse.probe.ping(host.address));
  });

  it("whose clock is 45 seconds behind gets certificates that are valid immediately", async () => {
    await setServerAhead(45);
    const host = await enroll("behind-45s");
    await until("the host is reached", () => lighthouse.probe.ping(host.address));
    expect((await host.status()).clockOffsetSeconds).toBe(0);
  });

  it("whose clock is 10 minutes behind follows changes, but keeps its certificate because nebula rejects a new certificate", async () => {
    await setServerAhead(10 * MINUTE_SECONDS);
    await expectToFollowChanges();
    expect(await minutesBehind(settled)).toBe(10);
    await testNetwork.call(updateHostV3, {
      params: { hostID: settled.id },
      body: { name: "renamed", roleID },
    });
    await expectRejectedCertificate(settled);
    expect(await network.isOpen(settled)).toBe(true);
  });

  it("whose clock is 10 minutes behind enrolls, but nebula can't run until the clock is correct, which the agent reports", async () => {
    const host = await enroll("behind-10min");
    await expectRejectedCertificate(host);
    await waitForStatus(host, "10 min behind the server's");
    expect(await minutesBehind(host)).toBe(10);
  });

  it("whose clock is a day behind enrolls, but nebula can't run until the clock is correct, which the agent reports", async () => {
    await setServerAhead(DAY_SECONDS);
    const host = await enroll("behind-day");
    await expectRejectedCertificate(host);
    await waitForStatus(host, "Set the clock: certificates are only valid between two dates.");
    expect(await minutesBehind(host)).toBe(DAY_SECONDS / MINUTE_SECONDS);
  });

  it("whose clock is correct again uses the next certificate", async () => {
    await setServerAhead(0);
    await testNetwork.call(updateHostV3, { params: { hostID: settled.id }, body: { name: "again", roleID } });
    await settled.waitForStatus("nebula has no problem", ({ nebulaProblem }) => nebulaProblem === null);
    await expectToFollowChanges();
  });
});
