import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { createRole, listAuditLogs, updateRole, whoami } from "@lightkeeper/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runStatement } from "../database.ts";
import { type ServerProcess, startServer, temporaryDataDir } from "../server-process.ts";
import type { OverlayHost } from "./overlay-host.ts";
import { until } from "../until.ts";
import { TestNetwork } from "./test-network.ts";

const MAIN = resolve(import.meta.dirname, "../../../server/dist/main.js");
const PORT = 8080;

let testNetwork: TestNetwork;
let roleID: string;
let one: OverlayHost;
let two: OverlayHost;
/** An unrelated server, whose PostgreSQL gets the imported database. */
let otherServer: ServerProcess;
const otherData = temporaryDataDir();

beforeAll(async () => {
  testNetwork = await TestNetwork.createWithServer("1.11.0");
  otherServer = await startServer({ dataDir: otherData.dataDir });
  const body = { name: "pingable", firewallRules: [{ protocol: "ICMP" as const }] };
  roleID = (await testNetwork.call(createRole, { body })).id;
  const lighthouse = await testNetwork.addHost("lighthouse", { isLighthouse: true, isStatic: true, roleID });
  one = await testNetwork.addHost("one", { roleID });
  two = await testNetwork.addHost("two", { roleID });
  await two.probe.serve("tcp", PORT);
  await testNetwork.startHosts(lighthouse);
});
afterAll(async () => {
  await testNetwork.remove();
  await otherServer.stop();
  otherData.remove();
});

async function cli(environment: Record<string, string>, ...args: string[]): Promise<string> {
  const env = { PATH: process.env.PATH, ...environment };
  return (await promisify(execFile)(process.execPath, [MAIN, ...args], { env })).stdout;
}

it("hosts continue without enrolling again after their server was exported and imported into an empty PostgreSQL", async () => {
  const { dataDir } = testNetwork.server;
  const file = join(otherData.dataDir, "all.export");
  const before = await testNetwork.call(whoami, {});
  const ping = one.probe.startPing(two.address);
  expect(await cli({ DATA_DIR: dataDir }, "export", file)).toContain("Exported");
  await testNetwork.ownServer.process.stop();
  await runStatement(otherData.dataDir, "create database moved");
  const socket = encodeURIComponent(join(otherData.dataDir, "postgres-run"));
  const moved = {
    DATABASE_URL: `postgres://lightkeeper@${socket}/moved`,
    SECRET_KEY: readFileSync(join(dataDir, "secret.key"), "utf8").trim(),
  };
  expect(await cli({ DATA_DIR: dataDir, ...moved }, "import", file)).toContain("Imported");
  await testNetwork.startServer(moved);
  expect((await testNetwork.call(whoami, {})).organization).toEqual(before.organization);
  const rules = [
    { protocol: "ICMP" as const },
    { protocol: "TCP" as const, portRange: { from: PORT, to: PORT } },
  ];
  await testNetwork.call(updateRole, { params: { roleID }, body: { firewallRules: rules } });
  await until("the port is open", () => one.probe.reach("tcp", two.address, PORT), { seconds: 90 });
  expect(await ping.stop()).toMatchObject({ lost: 0 });
  const { data: enrolled } = await testNetwork.call(listAuditLogs, {
    query: { "filter.action": "ENROLLED" },
  });
  expect(enrolled).toHaveLength(testNetwork.hosts.length);
});
