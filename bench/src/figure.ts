/** What a benchmark comes to: figures, each held against a limit that is stated with it. */
export interface Figure {
  what: string;
  /** How it came about. */
  detail: string;
  value: number;
  unit: "×" | " ms" | " s" | " MiB" | " %" | " requests";
  /** Infinity where there is none, and the figure only tells. */
  limit: number;
  limitIs: "at most" | "at least";
}

/** How much of what is allowed is used up; more than 1 breaks the limit. */
function used({ value, limit, limitIs }: Figure): number {
  if (limitIs === "at least") return limit / value;
  // A limit of 0 allows 0.
  return value === 0 ? 0 : value / limit;
}

export const isBroken = (figure: Figure): boolean => !(used(figure) <= 1);

const rounded = (value: number) => value.toFixed(2);
const limitOf = ({ limit, limitIs, unit }: Figure) =>
  limit === Infinity ? "no limit" : `${limitIs} ${limit}${unit}`;

/** A line of a table. */
function row(figure: Figure): string {
  const { what, detail, value, unit } = figure;
  const columns = [
    rounded(used(figure)).padStart(7),
    `${rounded(value)}${unit}`.padStart(12),
    limitOf(figure).padEnd(16),
    `${what} (${detail})`,
  ];
  return `${columns.join("  ")}${isBroken(figure) ? "  BROKEN" : ""}`;
}

/** The worst stands last, and once more by itself: that is the benchmark's figure. */
export function report(name: string, figures: readonly Figure[]): string[] {
  const sorted = figures.toSorted((a, b) => used(a) - used(b));
  const last = sorted.at(-1);
  if (!last) throw new Error(`${name} measured nothing`);
  const broken = figures.filter(isBroken).length;
  const { what, value, unit } = last;
  const table =
    figures.length > 1 ? ["of limit      figure  limit             what", ...sorted.map(row)] : [];
  const verdict = broken > 0 ? `${broken} of ${figures.length} limits BROKEN` : "ok";
  return [
    ...table,
    `${name}: ${rounded(value)}${unit} ${what}; ${limitOf(last)}, ${rounded(used(last))} of the limit: ${verdict}`,
  ];
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const [low, high] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]];
  if (low === undefined || high === undefined) throw new Error("A median of nothing");
  return (low + high) / 2;
}
