/** The memory of an idle agent that runs a real Nebula: as a bundle and as an executable, without Nebula itself. */
import { readdirSync, readFileSync } from "node:fs";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createRole, updateRole } from "@lightkeeper/contract";
import {
  findBuiltAgent,
  type OverlayHost,
  type OverlayHostOptions,
  TestNetwork,
  until,
} from "@lightkeeper/e2e/dataplane";
import type { Figure } from "./figure.ts";

const LIMIT_MIB = 48;
const CHANGES = 10;
const IDLE_MS = 60_000;
const FIRST_PORT = 7000;

type Command = OverlayHostOptions["agent"];

interface Memory {
  /** All resident pages, including those of the program's file, which other processes may share. */
  rss: number;
  pss: number;
  /** Pages without a file, which the kernel can't drop. */
  anonymous: number;
}

function readMemory({ pid }: OverlayHost): Memory {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const read = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1]) / 1024;
  return { rss: read("Rss"), pss: read("Pss"), anonymous: read("Anonymous") };
}

function findExecutable(): string {
  const folder = dirname(findBuiltAgent().at(-1) ?? "");
  const platform = `linux-${process.arch === "x64" ? "amd64" : process.arch}`;
  const name = readdirSync(folder).find((file) => file.endsWith(`-${platform}`));
  if (name === undefined) throw new Error(`There is no executable for ${platform}.`);
  return join(folder, name);
}

const rules = (port: number) => ({
  firewallRules: [{ protocol: "TCP" as const, portRange: { from: port, to: port } }],
});

async function changeConfiguration(network: TestNetwork, host: OverlayHost, roleID: string): Promise<void> {
  for (let port = FIRST_PORT + 1; port <= FIRST_PORT + CHANGES; port += 1) {
    await network.call(updateRole, { params: { roleID }, body: rules(port) });
    await until(`port ${port} is in the configuration`, () => host.file("nebula.yml").includes(String(port)));
  }
}

async function measureHost(agent: Command): Promise<{ started: Memory; changed: Memory }> {
  const network = await TestNetwork.createWithServer("1.11.0");
  try {
    const { id: roleID } = await network.call(createRole, { body: { name: "host", ...rules(FIRST_PORT) } });
    const lighthouse = await network.addHost("lighthouse", { isLighthouse: true, isStatic: true });
    const host = await network.addHost("host", { roleID, agent });
    lighthouse.start();
    host.start();
    await host.waitForStatus("nebula has started", ({ configHash }) => configHash !== null);
    await sleep(IDLE_MS);
    const started = readMemory(host);
    await changeConfiguration(network, host, roleID);
    await sleep(IDLE_MS);
    return { started, changed: readMemory(host) };
  } finally {
    await network.remove();
  }
}

const describeMemory = ({ rss, pss, anonymous }: Memory) =>
  `RSS ${rss.toFixed(1)}, PSS ${pss.toFixed(1)}, anonymous ${anonymous.toFixed(1)}`;

async function measure(what: string, agent: Command): Promise<Figure> {
  const { started, changed } = await measureHost(agent);
  return {
    what: `memory of an idle agent, ${what}`,
    detail: `the larger RSS of: after the start ${describeMemory(started)}; after ${CHANGES} changes ${describeMemory(changed)}`,
    value: Math.max(started.rss, changed.rss),
    unit: " MiB",
    limit: LIMIT_MIB,
    limitIs: "at most",
  };
}

/**
 * Measures a new copy, as an installation writes it. Linux maps whole blocks of its cache, and caches larger blocks if
 * something has read a file from start to end, such as a backup.
 */
async function measureExecutable(): Promise<Figure> {
  const folder = await mkdtemp(join(tmpdir(), "lightkeeper-bench-"));
  try {
    const copy = join(folder, "lightkeeper-agent");
    await copyFile(findExecutable(), copy);
    return await measure("executable", [copy]);
  } finally {
    await rm(folder, { recursive: true });
  }
}

export async function agentMemory(): Promise<Figure[]> {
  const bundle = await measure(`bundle with Node.js ${process.versions.node}`, findBuiltAgent());
  return [bundle, await measureExecutable()];
}
