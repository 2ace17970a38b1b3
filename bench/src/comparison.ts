/** Compares the same work on a small and a large organization, in turn, so that noise affects both. */
import { type Figure, median } from "./figure.ts";

type Measured = () => Promise<number>;

export interface Comparison {
  smallMs: number;
  largeMs: number;
  rounds: number;
  limit: number;
  retries: number;
}

/** A result over the limit is measured again with three times as many rounds. */
const RETRY_FACTOR = 3;

export async function compare(
  small: Measured,
  large: Measured,
  { rounds, limit }: { rounds: number; limit: number },
): Promise<Comparison> {
  const [smallTimes, largeTimes]: [number[], number[]] = [[], []];
  await small();
  await large();
  const measure = async (times: number) => {
    for (let round = 0; round < times; round++) {
      smallTimes.push(await small());
      largeTimes.push(await large());
    }
    return { smallMs: median(smallTimes), largeMs: median(largeTimes), rounds: smallTimes.length, limit };
  };
  const first = await measure(rounds);
  if (first.largeMs / first.smallMs <= limit) return { ...first, retries: 0 };
  return { ...(await measure(rounds * RETRY_FACTOR)), retries: 1 };
}

export const toFigure = (what: string, { smallMs, largeMs, rounds, limit, retries }: Comparison): Figure => ({
  what,
  detail: `server time ${largeMs.toFixed(2)} to ${smallMs.toFixed(2)} ms, median of ${rounds}`,
  value: largeMs / smallMs,
  unit: "×",
  limit,
  limitIs: "at most",
  retries,
});
