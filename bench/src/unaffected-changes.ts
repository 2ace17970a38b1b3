/** The server's cost of a change that affects no agent, with many and with few polling agents. */
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

/** The cost per change of a role of another host in the network, so that the server must find the affected hosts. */
async function measure(system: FleetSystem): Promise<Cost> {
  const [statements, cpuSeconds, startedAt] = [
    await system.statements(),
    system.server().cpuSeconds(),
    performance.now(),
  ];
  for (let change = 0; change < CHANGES_PER_ROUND; change++) await system.openUnaffectedPort(++port);
  return {
    milliseconds: (performance.now() - startedAt) / CHANGES_PER_ROUND,
    cpuMilliseconds: ((system.server().cpuSeconds() - cpuSeconds) * 1000) / CHANGES_PER_ROUND,
    statements: ((await system.statements()) - statements) / CHANGES_PER_ROUND,
  };
}

export async function measureUnaffectedChanges(small: FleetSystem, large: FleetSystem): Promise<Figure[]> {
  const costs: [Cost, Cost][] = [];
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
    const both: [Cost, Cost] = [await measure(small), await measure(large)];
    if (round >= WARM_UP_ROUNDS) costs.push(both);
  }
  const figure = (what: string, unit: string, of: (cost: Cost) => number): Figure => {
    const smallMedian = median(costs.map(([smallCost]) => of(smallCost)));
    const largeMedian = median(costs.map(([, largeCost]) => of(largeCost)));
    return {
      what: `${what} of a change that affects none of ${large.size} agents, relative to ${small.size}`,
      detail: `${largeMedian.toFixed(2)} to ${smallMedian.toFixed(2)}${unit}, median of ${ROUNDS} rounds of ${CHANGES_PER_ROUND}`,
      value: largeMedian / smallMedian,
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
