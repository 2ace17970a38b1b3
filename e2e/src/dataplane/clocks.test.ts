/**
 * Clocks that disagree. Only the difference counts, so it is the server's that is put wrong: to it, every machine
 * is then ahead or behind, with its agent and its nebula.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createRole, updateHostV3, updateRole } from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OverlayHost } from "./overlay-host.ts";
import { until } from "./shell.ts";
import { nebulaVersions, World } from "./world.ts";

const FIRST_PORT = 5000;
const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;
const shift = pathToFileURL(join(import.meta.dirname, "clock-shift.mjs"));

describe.each(nebulaVersions)("a machine with nebula %s", (version) => {
  let world: World;
  let roleID: string;
  let lighthouse: OverlayHost;
  let settled: OverlayHost;
  let port = FIRST_PORT;

  beforeAll(async () => {
    world = await World.create(version);
    const body = { name: "pingable", firewallRules: [{ protocol: "ICMP" as const }] };
    roleID = (await world.call(createRole, { body })).id;
    lighthouse = await world.addHost("lighthouse", { isLighthouse: true, isStatic: true, roleID });
    settled = await world.addHost("settled", { roleID });
    await world.startHosts(lighthouse);
  });
  afterAll(() => world.remove());

  async function setServerAhead(seconds: number): Promise<void> {
    await world.killServer();
    await world.startServer({
      NODE_OPTIONS: `--import=${shift.href}`,
      CLOCK_OFFSET_SECONDS: String(seconds),
    });
  }

  async function expectToFollowChanges(): Promise<void> {
    port += 1;
    await settled.probe.serve("tcp", port);
    const firewallRules = [
      { protocol: "ICMP" as const },
      { protocol: "TCP" as const, portRange: { from: port, to: port } },
    ];
    await world.call(updateRole, { params: { roleID }, body: { firewallRules } });
    await until("the port is open", () => lighthouse.probe.reach("tcp", settled.address, port), {
      seconds: 60,
    });
  }

  const learnedOffset = async (host: OverlayHost) => {
    await until("it has noticed", async () => (await host.status()).clockOffsetSeconds !== 0);
    return Math.round((await host.status()).clockOffsetSeconds / MINUTE);
  };

  it.each([
    { words: "a day", seconds: DAY },
    { words: "10 minutes", seconds: 10 * MINUTE },
  ])("whose clock is $words ahead enrolls, polls and follows changes", async ({ words, seconds }) => {
    await setServerAhead(-seconds);
    await expectToFollowChanges();
    expect(await learnedOffset(settled)).toBe(-seconds / MINUTE);
    const host = await world.addHost(`ahead-${words.replace(" ", "-")}`, { roleID });
    host.start();
    await until("it is reached", () => lighthouse.probe.ping(host.address));
  });

  it("whose clock is 45 seconds behind gets certificates that are good at once", async () => {
    await setServerAhead(45);
    await expectToFollowChanges();
    const host = await world.addHost("behind-45-seconds", { roleID });
    host.start();
    await until("it is reached", () => lighthouse.probe.ping(host.address));
    expect((await host.status()).clockOffsetSeconds).toBe(0);
  });

  const isNotYetValid = (host: OverlayHost) =>
    until("its nebula refuses a certificate of the future", async () => {
      const { nebulaProblem } = await host.status();
      return nebulaProblem?.endsWith("nebula certificate for this host is expired") ?? false;
    });

  it("whose clock is 10 minutes behind polls and follows changes, but its nebula takes no new certificate: it stays on its old one", async () => {
    await setServerAhead(10 * MINUTE);
    await expectToFollowChanges();
    expect(await learnedOffset(settled)).toBe(10);
    await world.call(updateHostV3, { params: { hostID: settled.id }, body: { name: "renamed", roleID } });
    await isNotYetValid(settled);
    expect(await lighthouse.probe.reach("tcp", settled.address, port)).toBe(true);
  });

  it.each([
    { words: "10 minutes", seconds: 10 * MINUTE },
    { words: "a day", seconds: DAY },
  ])(
    "whose clock is $words behind enrolls, but its nebula cannot run until the clock is right: its agent says so",
    async ({ words, seconds }) => {
      await setServerAhead(0);
      const name = `behind-${words.replace(" ", "-")}`;
      const { host, code } = await world.makeHost(name, { roleID, codeLifetimeSeconds: 2 * DAY });
      await setServerAhead(seconds);
      await host.enroll(code);
      host.start();
      await isNotYetValid(host);
      expect(await learnedOffset(host)).toBe(seconds / MINUTE);
      expect(await host.command("status")).toContain("certificates need a right clock");
    },
  );

  it("whose clock is right again takes the next certificate", async () => {
    await setServerAhead(0);
    await world.call(updateHostV3, { params: { hostID: settled.id }, body: { name: "again", roleID } });
    await until("its nebula is content", async () => (await settled.status()).nebulaProblem === null, {
      seconds: 60,
    });
    await expectToFollowChanges();
  });
});
