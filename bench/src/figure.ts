/** A result of a benchmark with its limit. */
export interface Figure {
  what: string;
  /** How it was measured, and what it is compared with. */
  detail: string;
  value: number;
  unit:
    | "×"
    | " ms"
    | " s"
    | " MiB"
    | " %"
    | " requests"
    | " a second"
    | " hosts"
    | " agents"
    | " rotations"
    | " kills"
    | " logs";
  /** Finite: a figure without a limit can't fail. */
  limit: number;
  limitIs: "at most" | "at least";
  /** How often the figure was measured again because it was over the limit. */
  retries?: number;
  /** What the first run of the benchmark measured, if there was a second one. */
  firstValue?: number;
}

export interface NamedFigure extends Figure {
  benchmark: string;
}

/** The share of the limit; more than 1 is over the limit. */
function limitShare({ value, limit, limitIs }: Figure): number {
  if (limitIs === "at least") return limit / value;
  // A limit of 0 allows 0.
  return value === 0 ? 0 : value / limit;
}

export const isOverLimit = (figure: Figure): boolean => !(limitShare(figure) <= 1);

const rounded = (value: number) => value.toFixed(2);

function remarkOf({ retries = 0, firstValue, unit }: Figure): string {
  if (retries === 0) return "";
  const after = firstValue === undefined ? "" : `, after ${rounded(firstValue)}${unit} in the first run`;
  return `  measured again ${retries === 1 ? "once" : `${retries} times`}${after}`;
}

function row(figure: NamedFigure): string {
  const { benchmark, what, detail, value, unit, limit, limitIs } = figure;
  const columns = [
    rounded(limitShare(figure)).padStart(8),
    `${rounded(value)}${unit}`.padStart(17),
    `${limitIs} ${limit}${unit}`.padEnd(22),
    benchmark.padEnd(15),
    `${what} (${detail})`,
  ];
  return `${columns.join("  ")}${remarkOf(figure)}${isOverLimit(figure) ? "  OVER LIMIT" : ""}`;
}

const HEADER = [
  "of limit".padStart(8),
  "figure".padStart(17),
  "limit".padEnd(22),
  "benchmark".padEnd(15),
  "what (how)",
].join("  ");

/** One table, with the figures nearest to their limits last, and the result. */
export function report(figures: readonly NamedFigure[]): string[] {
  const infinite = figures.find(({ limit }) => !Number.isFinite(limit));
  if (infinite) throw new Error(`${infinite.benchmark}: ${infinite.what} has no limit`);
  const sorted = figures.toSorted((a, b) => limitShare(a) - limitShare(b));
  const overCount = figures.filter(isOverLimit).length;
  const result =
    overCount > 0
      ? `${overCount} of ${figures.length} figures are over their limits.`
      : `All ${figures.length} figures are within their limits.`;
  return [HEADER, ...sorted.map(row), "", result];
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const [low, high] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]];
  if (low === undefined || high === undefined) throw new Error("Median of an empty list");
  return (low + high) / 2;
}
