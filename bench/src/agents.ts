/**
 * 10,000 agents polling one `serve` process, compared with 10 on another. Agents, server and database share the machine,
 * so the figures show what one machine can handle with all of them.
 */
import { readFileSync } from "node:fs";
import { STATUS_INTERVAL_SECONDS } from "@lightkeeper/contract/agent";
import { verificationsPerSecond } from "./core-speed.ts";
import { type Figure, median } from "./figure.ts";
import { type FleetSystem, startFleetSystem } from "./fleet-system.ts";
import { measurePacedRequests } from "./paced-requests.ts";
import { until } from "./until.ts";
import { measureUnaffectedChanges } from "./unaffected-changes.ts";

const [SMALL, LARGE] = [10, 10_000];
const SPARE_FILES = 1000;
const MEMORY_MEBIBYTES_LIMIT = 1536;
const ROLLOUT_SECONDS_LIMIT = 8;
const ENROLLED_PER_SECOND_LIMIT = 100;
const RECONNECT_SECONDS_LIMIT = 10;
/** Of a CPU core. */
const IDLE_PERCENT_LIMIT = 60;
/** A rollout is limited by more than signatures, but not by ten times as much. */
const VERIFICATION_SHARE_LIMIT = 0.1;
/** The duration of a long poll: after that, every agent has polled again. */
const ROUND_MS = 50_000;
/** Messages per update: the next poll, which contains the report. */
const VERIFICATIONS_PER_UPDATE = 1;

/** Every agent keeps a connection open. Node.js raises its own limit of open files to the maximum. */
function assertMachineIsFit(): void {
  if (process.platform !== "linux") throw new Error("The agents benchmark requires Linux (/proc)");
  const limits = readFileSync("/proc/self/limits", "utf8");
  const [, maximum = "0"] = /^Max open files\s+\S+\s+(\S+)/m.exec(limits) ?? [];
  if (maximum !== "unlimited" && Number(maximum) < LARGE + SPARE_FILES)
    throw new Error(
      `${LARGE} agents need ${LARGE + SPARE_FILES} open files, but the limit is ${maximum}. As root, run: ulimit -n ${2 * LARGE}`,
    );
}

async function measureEnrollment(system: FleetSystem): Promise<Figure> {
  const startedAt = performance.now();
  const cpuSeconds = system.server().cpuSeconds();
  await system.enroll();
  await system.settle();
  const seconds = (performance.now() - startedAt) / 1000;
  const used = system.server().cpuSeconds() - cpuSeconds;
  return {
    what: "hosts enrolled a second in one network",
    detail: `${system.size} hosts in ${seconds.toFixed(0)} s, ${((1000 * used) / system.size).toFixed(1)} ms of the server's CPU each`,
    value: system.size / seconds,
    unit: " a second",
    limit: ENROLLED_PER_SECOND_LIMIT,
    limitIs: "at least",
  };
}

function measureMemory(system: FleetSystem): Figure {
  const { mebibytes, peakMebibytes } = system.server().memory();
  return {
    what: `memory of the server with ${system.size} agents waiting`,
    detail: `${peakMebibytes.toFixed(0)} MiB at most`,
    value: mebibytes,
    unit: " MiB",
    limit: MEMORY_MEBIBYTES_LIMIT,
    limitIs: "at most",
  };
}

/** Seconds from the request until the last agent, and the median agent, has the change. */
async function changeAllAgents(system: FleetSystem, port: number) {
  const received = system.fleet.receive(`port: "${port}"`);
  const startedAt = Date.now();
  await system.openPort(port);
  const times = (await received).map((time) => (time - startedAt) / 1000);
  return { lastSeconds: times.at(-1) ?? Number.NaN, medianSeconds: median(times) };
}

async function measureRollout(system: FleetSystem): Promise<Figure[]> {
  const verifications = verificationsPerSecond();
  const [before, cpuSeconds] = [await system.fleet.counts(), system.server().cpuSeconds()];
  const { lastSeconds, medianSeconds } = await changeAllAgents(system, 40_001);
  const used = system.server().cpuSeconds() - cpuSeconds;
  const after = await system.fleet.counts();
  const updates = system.size / lastSeconds;
  return [
    {
      what: `until ${system.size} agents have a change of their role`,
      detail: `half of them after ${medianSeconds.toFixed(1)} s; ${used.toFixed(1)} s of the server's CPU, ${(after.cpuSeconds - before.cpuSeconds).toFixed(1)} s of the agents'; ${after.failed - before.failed} messages failed`,
      value: lastSeconds,
      unit: " s",
      limit: ROLLOUT_SECONDS_LIMIT,
      limitIs: "at most",
    },
    {
      what: "of raw signature verification, spent on updates",
      detail: `${updates.toFixed(0)} updates a second, ${VERIFICATIONS_PER_UPDATE} verification each; ${verifications.toFixed(0)} verifications a second`,
      value: (updates * VERIFICATIONS_PER_UPDATE) / verifications,
      unit: "×",
      limit: VERIFICATION_SHARE_LIMIT,
      limitIs: "at least",
    },
  ];
}

async function measureIdle(system: FleetSystem): Promise<Figure> {
  const [before, cpuSeconds, startedAt] = [
    await system.fleet.counts(),
    system.server().cpuSeconds(),
    performance.now(),
  ];
  await system.fleet.reportFor(ROUND_MS);
  const seconds = (performance.now() - startedAt) / 1000;
  const used = system.server().cpuSeconds() - cpuSeconds;
  const { polls } = await system.fleet.counts();
  return {
    what: `of a CPU core for ${system.size} waiting agents`,
    detail: `${((polls - before.polls) / seconds).toFixed(0)} polls and ${(system.size / STATUS_INTERVAL_SECONDS).toFixed(0)} reports a second`,
    value: (100 * used) / seconds,
    unit: " %",
    limit: IDLE_PERCENT_LIMIT,
    limitIs: "at most",
  };
}

/** Kills and restarts the server; then a change proves that all agents are connected. */
async function measureReconnect(system: FleetSystem): Promise<Figure> {
  await system.fleet.prepare();
  const startedAt = performance.now();
  const before = await system.fleet.counts();
  await system.server().kill();
  const messages = await system.messages();
  await system.serveAgain();
  const startSeconds = (performance.now() - startedAt) / 1000;
  await until(
    "every agent is connected again",
    async () => (await system.messages()) >= messages + system.size,
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const { failed } = await system.fleet.counts();
  const { lastSeconds } = await changeAllAgents(system, 40_002);
  return {
    what: `from killing the server until ${system.size} agents are connected again`,
    detail: `${startSeconds.toFixed(1)} s of it to start; ${failed - before.failed} messages failed; a change then reached all in ${lastSeconds.toFixed(1)} s`,
    value: seconds,
    unit: " s",
    limit: RECONNECT_SECONDS_LIMIT,
    limitIs: "at most",
  };
}

export async function agents(): Promise<Figure[]> {
  assertMachineIsFit();
  const systems: FleetSystem[] = [];
  const start = async (size: number) => {
    const system = await startFleetSystem(size);
    systems.push(system);
    return system;
  };
  try {
    const [small, large] = [await start(SMALL), await start(LARGE)];
    await small.enroll();
    const figures = [await measureEnrollment(large), measureMemory(large), ...(await measureRollout(large))];
    await large.settle();
    figures.push(
      ...(await measureUnaffectedChanges(small, large)),
      await measureIdle(large),
      await measurePacedRequests(large, { size: large.size, report: (ms) => large.fleet.reportFor(ms) }),
      await measureReconnect(large),
    );
    return figures;
  } finally {
    for (const system of systems) await system.stop();
  }
}
