/**
 * Ten thousand agents that wait on one `serve` process, beside ten that wait on another. Agents, server and database
 * share the machine, so that what is measured here is what one machine can bear with all of them on it.
 */
import { generateKeyPairSync, randomBytes, sign, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { STATUS_INTERVAL_SECONDS } from "@lightkeeper/contract/agent";
import { type Figure, median } from "./figure.ts";
import { type FleetSystem, startFleetSystem } from "./fleet-system.ts";
import { until } from "./until.ts";
import { untouched } from "./untouched.ts";

const [SMALL, LARGE] = [10, 10_000];
const SPARE_FILES = 1000;
const MEMORY_MEBIBYTES_LIMIT = 1536;
const SPREAD_SECONDS_LIMIT = 15;
/** As long as a poll is held: after that everybody has asked once more. */
const ROUND_MS = 50_000;
/** For an update: the message that fetches it, the report that it runs, and the next poll. */
const VERIFICATIONS_PER_UPDATE = 3;
const VERIFICATIONS = 2000;
const MESSAGE_LENGTH = 300;

/** Every agent keeps a connection open, on both of its ends. Node itself takes as many files as it may have. */
function refuseUnfitMachine(): void {
  if (process.platform !== "linux") throw new Error("The benchmark of agents reads /proc: it needs Linux");
  const limits = readFileSync("/proc/self/limits", "utf8");
  const [, most = "0"] = /^Max open files\s+\S+\s+(\S+)/m.exec(limits) ?? [];
  if (most !== "unlimited" && Number(most) < LARGE + SPARE_FILES)
    throw new Error(
      `${LARGE} agents need ${LARGE + SPARE_FILES} open files and ${most} are allowed: as root, ulimit -n ${2 * LARGE} before`,
    );
}

/** In a second of one processor. */
function rawVerificationsPerSecond(): number {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const message = randomBytes(MESSAGE_LENGTH);
  const signature = sign(null, message, privateKey);
  const before = process.cpuUsage();
  for (let done = 0; done < VERIFICATIONS; done++) verify(null, message, publicKey, signature);
  const { user, system } = process.cpuUsage(before);
  return VERIFICATIONS / ((user + system) / 1e6);
}

const observed = (figure: Omit<Figure, "limit" | "limitIs">): Figure => ({
  ...figure,
  limit: Infinity,
  limitIs: "at most",
});

async function enroll(system: FleetSystem): Promise<Figure> {
  const begun = performance.now();
  const cpuSeconds = system.server().cpuSeconds();
  await system.enroll();
  await system.settle();
  const seconds = (performance.now() - begun) / 1000;
  const used = system.server().cpuSeconds() - cpuSeconds;
  return observed({
    what: `to enroll ${system.size} agents`,
    detail: `${(system.size / seconds).toFixed(0)} a second, ${used.toFixed(1)} s of the server's CPU`,
    value: seconds,
    unit: " s",
  });
}

function memory(system: FleetSystem): Figure {
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

/** From the moment a change is sent to the server until each agent has it, in seconds; and of those in the middle. */
async function changeEverybody(system: FleetSystem, port: number) {
  const received = system.fleet.receive(`port: "${port}"`);
  const begun = Date.now();
  await system.openPort(port);
  const moments = (await received).map((moment) => (moment - begun) / 1000);
  return { lastSeconds: moments.at(-1) ?? Number.NaN, middleSeconds: median(moments) };
}

async function spread(system: FleetSystem): Promise<Figure[]> {
  await system.fleet.prepare();
  const verifications = rawVerificationsPerSecond();
  const [before, cpuSeconds] = [await system.fleet.counts(), system.server().cpuSeconds()];
  const { lastSeconds, middleSeconds } = await changeEverybody(system, 40_001);
  const used = system.server().cpuSeconds() - cpuSeconds;
  const after = await system.fleet.counts();
  const updates = system.size / lastSeconds;
  return [
    {
      what: `until ${system.size} agents have a change of their role`,
      detail: `half of them after ${middleSeconds.toFixed(1)} s; ${used.toFixed(1)} s of the server's CPU, ${(after.cpuSeconds - before.cpuSeconds).toFixed(1)} s of the agents'; ${after.failed - before.failed} messages failed`,
      value: lastSeconds,
      unit: " s",
      limit: SPREAD_SECONDS_LIMIT,
      limitIs: "at most",
    },
    observed({
      what: "of raw signature verification, spent on updates",
      detail: `${updates.toFixed(0)} updates a second, ${VERIFICATIONS_PER_UPDATE} verifications each; ${verifications.toFixed(0)} verifications a second`,
      value: (updates * VERIFICATIONS_PER_UPDATE) / verifications,
      unit: "×",
    }),
  ];
}

async function idle(system: FleetSystem): Promise<Figure> {
  const [before, cpuSeconds, begun] = [
    await system.fleet.counts(),
    system.server().cpuSeconds(),
    performance.now(),
  ];
  await system.fleet.reportFor(ROUND_MS);
  const seconds = (performance.now() - begun) / 1000;
  const used = system.server().cpuSeconds() - cpuSeconds;
  const { polls } = await system.fleet.counts();
  return observed({
    what: `of a processor for ${system.size} agents that wait`,
    detail: `${((polls - before.polls) / seconds).toFixed(0)} polls and ${(system.size / STATUS_INTERVAL_SECONDS).toFixed(0)} reports a second`,
    value: (100 * used) / seconds,
    unit: " %",
  });
}

/** The server is killed and started again; then a change shows that everybody is still there. */
async function storm(system: FleetSystem): Promise<Figure> {
  const begun = performance.now();
  const before = await system.fleet.counts();
  await system.server().kill();
  const messages = await system.messages();
  await system.serveAgain();
  const startSeconds = (performance.now() - begun) / 1000;
  await until("every agent is back", async () => (await system.messages()) >= messages + system.size);
  const seconds = (performance.now() - begun) / 1000;
  const { failed } = await system.fleet.counts();
  const { lastSeconds } = await changeEverybody(system, 40_002);
  return observed({
    what: `from a kill of the server until ${system.size} agents wait again`,
    detail: `${startSeconds.toFixed(1)} s of it to start; ${failed - before.failed} messages failed; a change then reached all in ${lastSeconds.toFixed(1)} s`,
    value: seconds,
    unit: " s",
  });
}

export async function agents(): Promise<Figure[]> {
  refuseUnfitMachine();
  const systems: FleetSystem[] = [];
  const start = async (size: number) => {
    const system = await startFleetSystem(size);
    systems.push(system);
    return system;
  };
  try {
    const [small, large] = [await start(SMALL), await start(LARGE)];
    await small.enroll();
    const figures = [await enroll(large), memory(large), ...(await spread(large))];
    await large.settle();
    figures.push(...(await untouched(small, large)), await idle(large), await storm(large));
    return figures;
  } finally {
    for (const system of systems) await system.stop();
  }
}
