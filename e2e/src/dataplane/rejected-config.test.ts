import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRole, listHostsV2, updateHostV3, updateRole } from "@lightkeeper/contract";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { runStatement } from "../database.ts";
import type { OverlayHost } from "./overlay-host.ts";
import { until } from "../until.ts";
import { selectVersions } from "./select-cases.ts";
import { TestNetwork } from "./test-network.ts";
import { describeStories } from "../story.ts";

const GOOD_PORT = 8080;
const REJECTED_PORT = 6666;
const NEXT_PORT = 8081;
const OCCUPIED_PORT = 7777;
const FREE_PORT = 7778;

describeStories(selectVersions("1.9.3"), "a host with nebula %s", (version) => {
  let folder: string;
  let testNetwork: TestNetwork;
  let roleID: string;
  let lighthouse: OverlayHost;
  let host: OverlayHost;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "lightkeeper-rejecting-"));
    testNetwork = await TestNetwork.create(version, inject("server"));
    roleID = (
      await testNetwork.call(createRole, { body: { name: "server", firewallRules: rules(GOOD_PORT) } })
    ).id;
    lighthouse = await testNetwork.addHost("lighthouse", { isLighthouse: true, isStatic: true, roleID });
    const nebula = createRejectingNebula(folder, testNetwork.nebula, `"${REJECTED_PORT}"`);
    host = await testNetwork.addHost("host", { roleID, nebula });
    for (const port of [GOOD_PORT, REJECTED_PORT, NEXT_PORT]) await host.probe.serve("tcp", port);
    await host.probe.serve("udp", OCCUPIED_PORT);
    await host.probe.serve("tcp", OCCUPIED_PORT);
    await testNetwork.startHosts(lighthouse);
    await until("the port is open", () => isOpen(GOOD_PORT));
  });
  afterAll(async () => {
    await testNetwork.remove();
    rmSync(folder, { recursive: true });
  });

  const isOpen = (port: number) => lighthouse.probe.reach("tcp", host.address, port);
  const setRules = (port: number) =>
    testNetwork.call(updateRole, { params: { roleID }, body: { firewallRules: rules(port) } });
  const drifted = async () => {
    const { data } = await testNetwork.call(listHostsV2, { query: { "filter.status": "drifted" } });
    return data.map(({ id }) => id);
  };
  const waitUntilDrifted = () =>
    until("the host is drifted", async () => (await drifted()).join() === host.id);
  const waitUntilInSync = () => until("the host is in sync", async () => (await drifted()).length === 0);
  const hasReported = async (error: string) =>
    (await runStatement(
      testNetwork.server.dataDir,
      "select from host_reports where host_id = $1 and error like '%' || $2 || '%'",
      [host.id, error],
    )) === 1;

  it("keeps its configuration when nebula rejects the next configuration, loses no packet, and reports it", async () => {
    const ping = lighthouse.probe.startPing(host.address);
    await setRules(REJECTED_PORT);
    await waitUntilDrifted();
    await until("the reason is reported", () => hasReported("Nebula rejected the configuration: "));
    expect((await host.status()).nebulaProblem).toContain("Nebula rejected the configuration: ");
    expect(await isOpen(GOOD_PORT)).toBe(true);
    expect(await isOpen(REJECTED_PORT)).toBe(false);
    expect(await ping.stop()).toMatchObject({ lost: 0 });
  });

  it("starts with the last good configuration when its agent is restarted", async () => {
    await host.stop();
    host.start();
    await until("the host is reached", () => isOpen(GOOD_PORT));
    await host.waitForStatus(
      "the agent reports it",
      ({ nebulaProblem }) => nebulaProblem?.includes("Nebula rejected the configuration: ") ?? false,
    );
    expect(await drifted()).toEqual([host.id]);
    expect(await host.nebulaPids()).toHaveLength(1);
  });

  it("applies the next configuration that nebula accepts", async () => {
    await setRules(NEXT_PORT);
    await until("the host is reached", () => isOpen(NEXT_PORT));
    expect(await isOpen(GOOD_PORT)).toBe(false);
    await waitUntilInSync();
    expect((await host.status()).nebulaProblem).toBeNull();
  });

  const update = (settings: { listenPort?: number; configOverrides?: { key: string; value: unknown }[] }) =>
    testNetwork.call(updateHostV3, { params: { hostID: host.id }, body: { roleID, ...settings } });

  it("returns to the last good configuration when nebula accepts a configuration but can't start with it", async () => {
    await update({ listenPort: OCCUPIED_PORT });
    await waitUntilDrifted();
    await until("the reason is reported", () => hasReported("Nebula exited immediately: "));
    await until("the host is reached", () => isOpen(NEXT_PORT));
    expect(await host.nebulaPids()).toHaveLength(1);
    await update({ listenPort: FREE_PORT });
    await waitUntilInSync();
    await until("the host is reached", () => isOpen(NEXT_PORT));
  });

  it("returns to the last good configuration when nebula exits right after its start; 1.11.0 continues without statistics", async () => {
    const configOverrides = [
      { key: "stats.type", value: "prometheus" },
      { key: "stats.listen", value: `127.0.0.1:${OCCUPIED_PORT}` },
    ];
    await update({ listenPort: FREE_PORT, configOverrides });
    await until("the agent has the configuration", () => host.state().intended.config.includes("prometheus"));
    if (version === "1.11.0")
      await until("nebula runs it", () => host.file("nebula.yml").includes("prometheus"));
    else await waitUntilDrifted();
    await until("the host is reached", () => isOpen(NEXT_PORT));
    expect(await host.nebulaPids()).toHaveLength(1);
    await update({ listenPort: FREE_PORT, configOverrides: [] });
    await waitUntilInSync();
    await until("the host is reached", () => isOpen(NEXT_PORT));
  });
});

const rules = (port: number) => [
  { protocol: "ICMP" as const },
  { protocol: "TCP" as const, portRange: { from: port, to: port } },
];

/** A wrapper of the real nebula that rejects configurations with this text when it tests them. */
function createRejectingNebula(folder: string, nebula: string, text: string): string {
  const file = join(folder, "nebula");
  const script = `#!/bin/sh
if [ "$1" = -test ] && grep -q '${text}' "$3"; then echo "}" >> "$3"; fi
exec ${nebula} "$@"
`;
  writeFileSync(file, script, { mode: 0o755 });
  return file;
}
