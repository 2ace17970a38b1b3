import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRole, listHostsV2, updateHostV3, updateRole } from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runStatement } from "../database.ts";
import type { OverlayHost } from "./overlay-host.ts";
import { until } from "./shell.ts";
import { nebulaVersions, TestNetwork } from "./test-network.ts";

const GOOD_PORT = 8080;
const REFUSED_PORT = 6666;
const NEXT_PORT = 8081;
const TAKEN_PORT = 7777;
const FREE_PORT = 7778;

describe.each(nebulaVersions)("a host with nebula %s", (version) => {
  let folder: string;
  let testNetwork: TestNetwork;
  let roleID: string;
  let lighthouse: OverlayHost;
  let host: OverlayHost;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "lightkeeper-refusing-"));
    testNetwork = await TestNetwork.create(version);
    roleID = (
      await testNetwork.call(createRole, { body: { name: "server", firewallRules: rules(GOOD_PORT) } })
    ).id;
    lighthouse = await testNetwork.addHost("lighthouse", { isLighthouse: true, isStatic: true, roleID });
    const nebula = refusing(folder, testNetwork.nebula, `"${REFUSED_PORT}"`);
    host = await testNetwork.addHost("host", { roleID, nebula });
    for (const port of [GOOD_PORT, REFUSED_PORT, NEXT_PORT]) await host.probe.serve("tcp", port);
    await host.probe.serve("udp", TAKEN_PORT);
    await host.probe.serve("tcp", TAKEN_PORT);
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
  const isDrifted = () => until("it is drifted", async () => (await drifted()).join() === host.id);
  const isRight = () => until("it is as it should be", async () => (await drifted()).length === 0);
  const hasReported = async (words: string) =>
    (await runStatement(
      testNetwork.server.dataDir,
      "select from host_reports where host_id = $1 and error like '%' || $2 || '%'",
      [host.id, words],
    )) === 1;

  it("stays on its configuration when nebula refuses the next one, loses no packet, and says so", async () => {
    const ping = lighthouse.probe.startPing(host.address);
    await setRules(REFUSED_PORT);
    await isDrifted();
    await until("it says why", () => hasReported("Nebula rejected the configuration: "));
    expect((await host.status()).nebulaProblem).toContain("Nebula rejected the configuration: ");
    expect(await isOpen(GOOD_PORT)).toBe(true);
    expect(await isOpen(REFUSED_PORT)).toBe(false);
    expect(await ping.stop()).toMatchObject({ lost: 0 });
  });

  it("comes up with the last good one when its agent is started anew", async () => {
    await host.stop();
    host.start();
    await until("it is reached", () => isOpen(GOOD_PORT));
    await until("it says so", async () => ((await host.status()).nebulaProblem ?? "").includes("refuses"));
    expect(await drifted()).toEqual([host.id]);
    expect(await host.nebulaPids()).toHaveLength(1);
  });

  it("takes the next one that nebula accepts", async () => {
    await setRules(NEXT_PORT);
    await until("it is reached", () => isOpen(NEXT_PORT));
    expect(await isOpen(GOOD_PORT)).toBe(false);
    await isRight();
    expect((await host.status()).nebulaProblem).toBeNull();
  });

  const update = (settings: { listenPort?: number; configOverrides?: { key: string; value: unknown }[] }) =>
    testNetwork.call(updateHostV3, { params: { hostID: host.id }, body: { roleID, ...settings } });

  it("goes back to the last good one when nebula accepts the next one and does not start with it", async () => {
    await update({ listenPort: TAKEN_PORT });
    await isDrifted();
    await until("it says why", () => hasReported("Nebula exited immediately: "));
    await until("it is reached", () => isOpen(NEXT_PORT));
    expect(await host.nebulaPids()).toHaveLength(1);
    await update({ listenPort: FREE_PORT });
    await isRight();
    await until("it is reached", () => isOpen(NEXT_PORT));
  });

  it("goes back to the last good one when nebula ends as soon as it is up; 1.11.0 goes on without statistics", async () => {
    const configOverrides = [
      { key: "stats.type", value: "prometheus" },
      { key: "stats.listen", value: `127.0.0.1:${TAKEN_PORT}` },
    ];
    await update({ listenPort: FREE_PORT, configOverrides });
    await until("it has got it", () => host.state().intended.config.includes("prometheus"));
    if (version === "1.11.0") await until("it runs it", () => host.file("nebula.yml").includes("prometheus"));
    else await isDrifted();
    await until("it is reached", () => isOpen(NEXT_PORT));
    expect(await host.nebulaPids()).toHaveLength(1);
    await update({ listenPort: FREE_PORT, configOverrides: [] });
    await isRight();
    await until("it is reached", () => isOpen(NEXT_PORT));
  });
});

const rules = (port: number) => [
  { protocol: "ICMP" as const },
  { protocol: "TCP" as const, portRange: { from: port, to: port } },
];

/** The real nebula, in whose check a configuration with these words comes damaged. */
function refusing(folder: string, nebula: string, words: string): string {
  const file = join(folder, "nebula");
  const script = `#!/bin/sh
if [ "$1" = -test ] && grep -q '${words}' "$3"; then echo "}" >> "$3"; fi
exec ${nebula} "$@"
`;
  writeFileSync(file, script, { mode: 0o755 });
  return file;
}
