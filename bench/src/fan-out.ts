/** A change of a role until 100 and 1,000 agents have it. The benchmark `agents` measures 10,000. */
import { type Figure, median } from "./figure.ts";
import { type FleetSystem, startFleetSystem } from "./fleet-system.ts";
import { until } from "./until.ts";

const SIZES = [
  { size: 100, secondsLimit: 1 },
  { size: 1000, secondsLimit: 2 },
];
const ROUNDS = 5;
const FIRST_PORT = 40_001;
const WARM_UP_PORT = 40_000;

/** Seconds from the request until the last agent has the change. Then waits until all agents poll again. */
async function changeRole(system: FleetSystem, port: number): Promise<number> {
  const { polls } = await system.fleet.counts();
  const received = system.fleet.receive(`port: "${port}"`);
  const startedAt = Date.now();
  await system.openPort(port);
  const times = await received;
  await until(
    "every agent polls again",
    async () => (await system.fleet.counts()).polls >= polls + system.size,
  );
  await system.settle();
  return ((times.at(-1) ?? Number.NaN) - startedAt) / 1000;
}

async function measureSize(size: number, secondsLimit: number): Promise<Figure> {
  const system = await startFleetSystem(size);
  try {
    await system.enroll();
    await system.settle();
    await changeRole(system, WARM_UP_PORT);
    const seconds: number[] = [];
    for (let round = 0; round < ROUNDS; round++) seconds.push(await changeRole(system, FIRST_PORT + round));
    return {
      what: `until ${size} agents have a change of their role`,
      detail: `the last agent, median of ${ROUNDS} changes; ${Math.max(...seconds).toFixed(2)} s at most`,
      value: median(seconds),
      unit: " s",
      limit: secondsLimit,
      limitIs: "at most",
    };
  } finally {
    await system.stop();
  }
}

export async function fanOut(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { size, secondsLimit } of SIZES) figures.push(await measureSize(size, secondsLimit));
  return figures;
}
