/** A result of a benchmark with its limit. */
export interface Figure {
  what: string;
  /** How it was measured. */
  detail: string;
  value: number;
  unit: "×" | " ms" | " s" | " MiB" | " %" | " requests" | " a second";
  /** Infinity if there is no limit. */
  limit: number;
  limitIs: "at most" | "at least";
}

/** The share of the limit; more than 1 is over the limit. */
function limitShare({ value, limit, limitIs }: Figure): number {
  if (limitIs === "at least") return limit / value;
  // A limit of 0 allows 0.
  return value === 0 ? 0 : value / limit;
}

export const isOverLimit = (figure: Figure): boolean => !(limitShare(figure) <= 1);

const rounded = (value: number) => value.toFixed(2);
const limitOf = ({ limit, limitIs, unit }: Figure) =>
  limit === Infinity ? "no limit" : `${limitIs} ${limit}${unit}`;

function row(figure: Figure): string {
  const { what, detail, value, unit } = figure;
  const columns = [
    rounded(limitShare(figure)).padStart(7),
    `${rounded(value)}${unit}`.padStart(12),
    limitOf(figure).padEnd(16),
    `${what} (${detail})`,
  ];
  return `${columns.join("  ")}${isOverLimit(figure) ? "  OVER LIMIT" : ""}`;
}

/** The worst figure is last in the table, and is repeated as the benchmark's result. */
export function report(name: string, figures: readonly Figure[]): string[] {
  const sorted = figures.toSorted((a, b) => limitShare(a) - limitShare(b));
  const last = sorted.at(-1);
  if (!last) throw new Error(`${name} measured nothing`);
  const overLimit = figures.filter(isOverLimit).length;
  const { what, value, unit } = last;
  const table =
    figures.length > 1 ? ["of limit      figure  limit             what", ...sorted.map(row)] : [];
  const verdict = overLimit > 0 ? `${overLimit} of ${figures.length} figures OVER LIMIT` : "ok";
  return [
    ...table,
    `${name}: ${rounded(value)}${unit} ${what}; ${limitOf(last)}, ${rounded(limitShare(last))} of the limit: ${verdict}`,
  ];
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const [low, high] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]];
  if (low === undefined || high === undefined) throw new Error("Median of an empty list");
  return (low + high) / 2;
}
