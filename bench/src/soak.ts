/**
 * Mixed load (reads, writes, agents, open consoles) on two servers behind a load balancer for SOAK_MINUTES, then a
 * restart of each server under load. No request may fail, and memory must not grow.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MINUTE_MS } from "@lightkeeper/contract/durations";
import { createContext, readConfig } from "@lightkeeper/server/app";
import { startLoadBalancer } from "./load-balancer.ts";
import { type Figure, median } from "./figure.ts";
import { type Fleet, startFleet } from "./fleet-client.ts";
import { closeAll, type CloseFunctions, prepareOrganization, startDatabase } from "./fleet-system.ts";
import { type LoadCounts, type MixedLoad, startMixedLoad } from "./mixed-load.ts";
import { freePort } from "@lightkeeper/e2e/dataplane";
import { serve, type ServeProcess } from "./serve-process.ts";

const MINUTES = Number(process.env.SOAK_MINUTES ?? 9);
const AGENTS = 200;
const READERS = 4;
const WRITERS = 2;
const CONSOLES = 10;
const SAMPLE_EVERY_MS = 2000;
const GRACE_SECONDS = 2;
const MEMORY_RATIO_LIMIT = 1.2;
const FAILURES_SHOWN = 20;
/** Caches must be filled and code compiled before memory is compared. */
const WARM_UP_SHARE = 1 / 3;
const COMPARED_SHARE = 1 / 6;

interface Soak {
  servers: ServeProcess[];
  restart: (index: number) => Promise<void>;
  load: MixedLoad;
  fleet: Fleet;
}

async function start(open: CloseFunctions): Promise<Soak> {
  const dataDir = mkdtempSync(join(tmpdir(), "lightkeeper-soak-"));
  open.push(() => rmSync(dataDir, { recursive: true, force: true }));
  // As root, the database runs as another user, who needs access to this directory.
  chmodSync(dataDir, 0o711);
  const database = await startDatabase(dataDir);
  open.push(() => database.stop());
  const { connectionString } = database;
  const environment = { SHUTDOWN_GRACE_SECONDS: String(GRACE_SECONDS) };
  const ports = [await freePort(), await freePort()];
  const startOn = (port: number) => serve({ dataDir, port, environment });
  const servers: ServeProcess[] = [];
  for (const port of ports) servers.push(await startOn(port));
  open.push(() => Promise.all(servers.map((server) => server.stop())));
  const balancer = await startLoadBalancer(servers.map(({ url }) => url));
  open.push(() => balancer.stop());
  const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: "silent" });
  const ctx = createContext({ config, connectionString, version: "1.2.3" });
  open.push(() => ctx.dispose());
  const organizations = [
    await prepareOrganization(ctx, { url: balancer.url, size: AGENTS }),
    await prepareOrganization(ctx, { url: balancer.url, size: 1, email: "other@example.com" }),
  ];
  const fleet = startFleet();
  open.push(() => fleet.stop());
  const codes = organizations.flatMap(({ codes }) => codes);
  await fleet.enroll({ url: balancer.url, codes, concurrency: 8 });
  const load = startMixedLoad();
  open.push(() => load.stop());
  for (const organization of organizations) {
    for (let reader = 0; reader < READERS; reader++) load.startReader(organization);
    // Writers change a role of hosts without agents; the agents' role changes less often.
    const { unaffectedRoleID: roleID } = organization;
    for (let writer = 0; writer < WRITERS; writer++) load.startWriter({ ...organization, roleID });
    load.startRuleChanges(organization);
    for (let count = 0; count < CONSOLES; count++) load.openConsole(await organization.logIn());
  }
  const restart = async (index: number) => {
    await servers[index]!.stop();
    servers[index] = await startOn(ports[index]!);
  };
  return { servers, restart, load, fleet };
}

interface Phase {
  requests: number;
  failures: string[];
  messages: number;
  failedMessages: number;
  lostAgents: number;
}

async function measurePhase({ load, fleet }: Soak, work: () => Promise<void>): Promise<Phase> {
  const before: LoadCounts = { ...load.counts, failures: [...load.counts.failures] };
  const agentsBefore = await fleet.counts();
  await work();
  const agents = await fleet.counts();
  return {
    requests: load.counts.requests - before.requests,
    failures: load.counts.failures.slice(before.failures.length),
    messages: agents.sent - agentsBefore.sent,
    failedMessages: agents.failed - agentsBefore.failed,
    lostAgents: agents.lost,
  };
}

/** Samples the memory of each server. */
async function sampleMemory({ servers }: Soak, forMs: number): Promise<number[][]> {
  const samples: number[][] = servers.map(() => []);
  const deadline = performance.now() + forMs;
  while (performance.now() < deadline) {
    for (const [index, server] of servers.entries()) samples[index]!.push(server.memory().mebibytes);
    await sleep(SAMPLE_EVERY_MS);
  }
  return samples;
}

/** Compares the end of the run with the time after the warm-up. */
function memoryFigure(samples: number[], name: string): Figure {
  const from = Math.floor(samples.length * WARM_UP_SHARE);
  const width = Math.max(1, Math.floor(samples.length * COMPARED_SHARE));
  const [early, late] = [median(samples.slice(from, from + width)), median(samples.slice(-width))];
  return {
    what: `memory of ${name} at the end, relative to the time after the warm-up`,
    detail: `${early.toFixed(0)} MiB, then ${late.toFixed(0)} MiB`,
    value: late / early,
    unit: "×",
    limit: MEMORY_RATIO_LIMIT,
    limitIs: "at most",
  };
}

function failureFigure(what: string, phase: Phase): Figure {
  for (const line of phase.failures.slice(0, FAILURES_SHOWN)) process.stdout.write(`failed: ${line}\n`);
  return {
    what: `failed requests and agent messages ${what}`,
    detail: `${phase.failures.length} of ${phase.requests} requests, ${phase.failedMessages} of ${phase.messages} agent messages, ${phase.lostAgents} agents rejected`,
    value: phase.failures.length + phase.failedMessages + phase.lostAgents,
    unit: " requests",
    limit: 0,
    limitIs: "at most",
  };
}

export async function soak(): Promise<Figure[]> {
  const open: CloseFunctions = [];
  try {
    const system = await start(open);
    let samples: number[][] = [];
    const steady = await measurePhase(system, async () => {
      const durationMs = MINUTES * MINUTE_MS;
      [samples] = await Promise.all([sampleMemory(system, durationMs), system.fleet.reportFor(durationMs)]);
    });
    const restarts = await measurePhase(system, async () => {
      for (const index of system.servers.keys()) await system.restart(index);
      await sleep(5000);
    });
    return [
      failureFigure(`in ${MINUTES} minutes of mixed load`, steady),
      failureFigure("while both servers were restarted under load", restarts),
      ...samples.map((values, index) => memoryFigure(values, `server ${index + 1}`)),
    ];
  } finally {
    await closeAll(open);
  }
}
