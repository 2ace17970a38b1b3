/** Runs benchmarks one after the other, and those with a figure over its limit once more at the end. */
import { verificationsPerSecond } from "./core-speed.ts";
import { type Figure, isOverLimit, type NamedFigure } from "./figure.ts";

export type Benchmarks = Readonly<Record<string, () => Promise<Figure[]>>>;

/** What must never happen has a limit of 0: that it doesn't happen in another run proves nothing. */
const mustNeverHappen = ({ limit }: Figure) => limit === 0;
const canBeNoise = (figure: Figure) => isOverLimit(figure) && !mustNeverHappen(figure);

export async function runBenchmarks(
  benchmarks: Benchmarks,
  print: (line: string) => void,
): Promise<NamedFigure[]> {
  const measured = new Map<string, Figure[]>();
  for (const [name, run] of Object.entries(benchmarks)) {
    print(`Running ${name}… (${describeSpeed()})`);
    const figures = await run();
    if (figures.length === 0) throw new Error(`${name} measured nothing`);
    measured.set(name, figures);
  }
  for (const [name, figures] of measured) {
    if (!figures.some(canBeNoise)) continue;
    print(`Running ${name} again… (${describeSpeed()})`);
    const repeated = await benchmarks[name]!();
    if (repeated.length !== figures.length)
      throw new Error(`${name} measured other figures when it ran again`);
    measured.set(
      name,
      figures.map((figure, index) => mergeRuns(figure, repeated[index]!)),
    );
  }
  return [...measured].flatMap(([benchmark, figures]) => figures.map((figure) => ({ benchmark, ...figure })));
}

const describeSpeed = () => `${verificationsPerSecond().toFixed(0)} verifications a second on one core`;

/** The second measurement of a figure that was over its limit counts, also if it is worse. */
function mergeRuns(first: Figure, second: Figure): Figure {
  if (canBeNoise(first))
    return {
      ...second,
      firstValue: first.value,
      retries: (first.retries ?? 0) + (second.retries ?? 0) + 1,
    };
  return mustNeverHappen(second) && isOverLimit(second) ? second : first;
}
