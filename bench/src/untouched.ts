/** What a change costs the server that touches none of the agents that wait: with many of them, and with few. */
import { type Figure, median } from "./figure.ts";
import type { FleetSystem } from "./fleet-system.ts";

const ROUNDS = 30;
const CHANGES_PER_ROUND = 10;
const WARM_UP_ROUNDS = 10;
const LIMIT = 1.3;

interface Cost {
  milliseconds: number;
  cpuMilliseconds: number;
  statements: number;
}

let port = 1;

/** Of one change: a rule of a role that one other host of the network has, so that its hosts have to be told apart. */
async function measure(system: FleetSystem): Promise<Cost> {
  const [statements, cpuSeconds, begun] = [
    await system.statements(),
    system.server().cpuSeconds(),
    performance.now(),
  ];
  for (let change = 0; change < CHANGES_PER_ROUND; change++) await system.openPortElsewhere(++port);
  return {
    milliseconds: (performance.now() - begun) / CHANGES_PER_ROUND,
    cpuMilliseconds: ((system.server().cpuSeconds() - cpuSeconds) * 1000) / CHANGES_PER_ROUND,
    statements: ((await system.statements()) - statements) / CHANGES_PER_ROUND,
  };
}

export async function untouched(small: FleetSystem, large: FleetSystem): Promise<Figure[]> {
  const costs: [Cost, Cost][] = [];
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
    const both: [Cost, Cost] = [await measure(small), await measure(large)];
    if (round >= WARM_UP_ROUNDS) costs.push(both);
  }
  const figure = (what: string, unit: string, of: (cost: Cost) => number): Figure => {
    const ofSmall = median(costs.map(([one]) => of(one)));
    const ofLarge = median(costs.map(([, one]) => of(one)));
    return {
      what: `${what} of a change that touches none of ${large.size} agents, none of ${small.size}`,
      detail: `${ofLarge.toFixed(2)} to ${ofSmall.toFixed(2)}${unit}, median of ${ROUNDS} rounds of ${CHANGES_PER_ROUND}`,
      value: ofLarge / ofSmall,
      unit: "×",
      limit: LIMIT,
      limitIs: "at most",
    };
  };
  return [
    figure("statements", "", ({ statements }) => statements),
    figure("the server's CPU", " ms", ({ cpuMilliseconds }) => cpuMilliseconds),
    figure("time", " ms", ({ milliseconds }) => milliseconds),
  ];
}
