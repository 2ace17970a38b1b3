/** Measures the constants of the capacity model with one `serve` process, its database and simulated agents. */
import { cpus, totalmem } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { createHostV2, listHostsV2 } from "@lightkeeper/contract";
import { type FleetSystem, startFleetSystem } from "../fleet-system.ts";
import { until } from "../until.ts";
import type { Constants, Cost } from "./capacity-model.ts";
import { measureModelMemory } from "./measure-model-memory.ts";
import { measureTraffic } from "./measure-traffic.ts";
import { readUsage, subtract, type Usage } from "./resource-usage.ts";

const IDLE_MS = 10_000;
/** As long as a poll and the pause after it, so that every agent polls once. */
const POLL_MS = 51_000;
const REPORT_MS = 30_000;
/** Each sends the reports of all agents at their usual rate. */
const REPORTERS = 10;
const REPORTERS_APART_MS = 500;
const [READS, WRITES, WARM_UP_READS, CLIENTS] = [2000, 500, 1000, 4];
const CHANGED_PORT = 40_001;

/** What the work used. A checkpoint before it makes the WAL contain complete pages. */
async function measureUsage(system: FleetSystem, work: () => Promise<unknown>): Promise<Usage> {
  await system.query("checkpoint");
  const before = await readUsage(system);
  await work();
  return subtract(await readUsage(system), before);
}

/** Audit entries are sealed in the background. */
const waitForSeals = ({ query }: FleetSystem) =>
  until("every audit entry is sealed", async () => {
    const unsealed = await query("select from audit_logs where sequence is null limit 1");
    return unsealed.length === 0;
  });

type Rates = Pick<Usage, "serverSeconds" | "databaseSeconds" | "walBytes">;

async function measureIdle(system: FleetSystem): Promise<Rates> {
  const { seconds, ...usage } = await measureUsage(system, () => sleep(IDLE_MS));
  return {
    serverSeconds: usage.serverSeconds / seconds,
    databaseSeconds: usage.databaseSeconds / seconds,
    walBytes: usage.walBytes / seconds,
  };
}

/** The cost of one of the operations, without what an idle process uses in the same time. */
const costOf = (usage: Usage, idle: Rates, count: number): Cost => ({
  serverMs: (1000 * Math.max(0, usage.serverSeconds - idle.serverSeconds * usage.seconds)) / count,
  databaseMs: (1000 * Math.max(0, usage.databaseSeconds - idle.databaseSeconds * usage.seconds)) / count,
  walBytes: Math.max(0, usage.walBytes - idle.walBytes * usage.seconds) / count,
});

const scale = (cost: Cost, factor: number): Cost => ({
  serverMs: cost.serverMs * factor,
  databaseMs: cost.databaseMs * factor,
  walBytes: cost.walBytes * factor,
});

const add = (a: Cost, b: Cost): Cost => ({
  serverMs: Math.max(0, a.serverMs + b.serverMs),
  databaseMs: Math.max(0, a.databaseMs + b.databaseMs),
  walBytes: Math.max(0, a.walBytes + b.walBytes),
});

type Send = (index: number) => Promise<unknown>;

async function sendRequests(count: number, send: Send): Promise<void> {
  let sent = 0;
  const runClient = async () => {
    while (sent < count) await send(sent++);
  };
  await Promise.all(Array.from({ length: CLIENTS }, runClient));
}

async function measureRequests(
  system: FleetSystem,
  { idle, count, send }: { idle: Rates; count: number; send: Send },
): Promise<Cost> {
  const usage = await measureUsage(system, async () => {
    await sendRequests(count, send);
    await waitForSeals(system);
  });
  return costOf(usage, idle, count);
}

async function measurePolls(system: FleetSystem, idle: Rates): Promise<Cost> {
  const before = await system.fleet.counts();
  const usage = await measureUsage(system, () => sleep(POLL_MS));
  const after = await system.fleet.counts();
  return costOf(usage, idle, after.polls - before.polls);
}

/** Without the polls of the same time. */
async function measureReports(system: FleetSystem, idle: Rates, poll: Cost): Promise<Cost> {
  const { fleet } = system;
  const before = await fleet.counts();
  const report = async (_: unknown, index: number) => {
    await sleep(index * REPORTERS_APART_MS);
    await fleet.reportFor(REPORT_MS - index * REPORTERS_APART_MS);
  };
  const usage = await measureUsage(system, async () => {
    await Promise.all(Array.from({ length: REPORTERS }, report));
    await system.settle();
  });
  const after = await fleet.counts();
  const polls = after.polls - before.polls;
  const reports = after.sent - before.sent - polls;
  return add(costOf(usage, idle, reports), scale(poll, -polls / reports));
}

/** A change of the role of all agents, with their reports and next polls. */
async function measureUpdates(system: FleetSystem, idle: Rates): Promise<Cost> {
  const usage = await measureUsage(system, async () => {
    const received = system.fleet.receive(`port: "${CHANGED_PORT}"`);
    await system.openPort(CHANGED_PORT);
    await received;
    await system.settle();
  });
  return costOf(usage, idle, system.size);
}

async function measureStorage({ query }: FleetSystem): Promise<Constants["storage"]> {
  const [row] = await query<Record<"hosts" | "entries" | "messages", string>>(
    `select (sum(pg_total_relation_size(oid)) filter (where relname not in ('audit_logs', 'seen_signatures')))
          / (select count(*) from hosts) as hosts,
        pg_total_relation_size('audit_logs') / (select count(*) from audit_logs) as entries,
        pg_total_relation_size('seen_signatures') / (select count(*) from seen_signatures) as messages
      from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  return {
    bytesPerHost: Number(row?.hosts),
    bytesPerAuditEntry: Number(row?.entries),
    bytesPerMessage: Number(row?.messages),
  };
}

async function describeMachine({ query }: FleetSystem): Promise<Constants["machine"]> {
  const [row] = await query<{ version: string }>("select current_setting('server_version') as version");
  return {
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryGibibytes: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    postgresql: row?.version ?? "unknown",
  };
}

async function measureSystem(system: FleetSystem, print: (line: string) => void): Promise<Constants> {
  const { call, networkID } = system;
  print("Measuring an idle process and requests…");
  await waitForSeals(system);
  // Otherwise, autovacuum would do the same while requests are measured.
  await system.query("vacuum analyze");
  await sleep(IDLE_MS);
  const idle = await measureIdle(system);
  const list = () => call(listHostsV2, { query: { pageSize: 25 } });
  const create = (index: number) => call(createHostV2, { body: { networkID, name: `written-${index}` } });
  await sendRequests(WARM_UP_READS, list);
  const read = await measureRequests(system, { idle, count: READS, send: list });
  const write = await measureRequests(system, { idle, count: WRITES, send: create });
  const { mebibytes: processMebibytes } = system.server().memory();
  print(`Enrolling ${system.size} agents…`);
  const enrollmentUsage = await measureUsage(system, async () => {
    await system.enroll();
    await system.settle();
    await waitForSeals(system);
  });
  const enrollment = costOf(enrollmentUsage, idle, system.size);
  print("Measuring polls, reports and updates…");
  const poll = await measurePolls(system, idle);
  const kibibytes = 1024 * (system.server().memory().mebibytes - processMebibytes);
  const report = await measureReports(system, idle, poll);
  const traffic = await measureTraffic(system, (work) => measureUsage(system, work));
  const update = await measureUpdates(system, idle);
  const storage = await measureStorage(system);
  print("Measuring the memory of an access model…");
  return {
    measuredAt: new Date().toISOString().slice(0, "2026-01-01".length),
    machine: await describeMachine(system),
    agents: system.size,
    costs: { poll, report: add(report, traffic), update, enrollment, read, write },
    idle: { serverCores: idle.serverSeconds, databaseCores: idle.databaseSeconds },
    memory: {
      processMebibytes,
      kibibytesPerAgent: Math.max(0, kibibytes) / system.size,
      kibibytesPerModelHost: await measureModelMemory(system),
    },
    storage,
  };
}

export async function measureConstants(agents: number, print: (line: string) => void): Promise<Constants> {
  print("Starting a server and its database…");
  const system = await startFleetSystem(agents);
  try {
    return await measureSystem(system, print);
  } finally {
    await system.stop();
  }
}
