import { PORT_MAX } from "@lightkeeper/contract/limits";
import type { PortRange } from "./ports.ts";

export const allPorts: PortRange = { from: 1, to: PORT_MAX };

export const isWithin = (inner: PortRange, outer: PortRange): boolean =>
  inner.from >= outer.from && inner.to <= outer.to;

/** Subtracts the other ranges from a range. */
export function withoutRanges(range: PortRange, others: readonly PortRange[]): PortRange[] {
  return others.reduce<PortRange[]>(
    (left, { from, to }) =>
      left.flatMap((one) =>
        [
          { from: one.from, to: Math.min(one.to, from - 1) },
          { from: Math.max(one.from, to + 1), to: one.to },
        ].filter((part) => part.from <= part.to),
      ),
    [range],
  );
}

/** Splits a range so that each part is either inside or outside of each other range. */
export function splitRange(range: PortRange, others: readonly PortRange[]): PortRange[] {
  const starts = others.flatMap(({ from, to }) => [from, to + 1]);
  const cuts = [...new Set(starts)].filter((port) => port > range.from && port <= range.to);
  const edges = [range.from, ...cuts.toSorted((one, other) => one - other)];
  return edges.map((from, index) => ({ from, to: (edges[index + 1] ?? range.to + 1) - 1 }));
}

/** The same ports in as few ranges as possible, in order. */
export function joinRanges(ranges: readonly PortRange[]): PortRange[] {
  const joined: PortRange[] = [];
  for (const { from, to } of ranges.toSorted((one, other) => one.from - other.from)) {
    const last = joined.at(-1);
    if (last && from <= last.to + 1) last.to = Math.max(last.to, to);
    else joined.push({ from, to });
  }
  return joined;
}
