/** The cells of the access matrix. */
import { type AccessMatrix, findCell, joinTraffic, type TrafficRange } from "@lightkeeper/nebula/access";
import { groupSources } from "./group-sources.ts";
import type { MatrixRow } from "./matrix-rows.ts";

export interface RowCell {
  readonly traffic: readonly TrafficRange[];
  /** Whether only some pairs of hosts have all of the traffic. */
  readonly isPartial: boolean;
}

/** Undefined if no host of the source reaches any host of the destination. */
export type FindCellFrom = (source: MatrixRow) => RowCell | undefined;

export interface CellReader {
  /** Reads a whole column, which costs much less than reading its cells one by one. */
  readColumn(destination: MatrixRow): FindCellFrom;
  readRegionColumn(regionIndex: number): FindCellFrom;
}

export function createCellReader(given: AccessMatrix): CellReader {
  const traffics = createTrafficNumbers();
  const numbersTo = (destination: number) => numberTraffic(given, destination, traffics);
  return {
    readColumn: (destination) => {
      const columns = destination.members.map(({ position }) => ({ position, numbers: numbersTo(position) }));
      return (source) => {
        const found = new Set<number>();
        for (const from of source.members) {
          // A class of one host has no pair of different hosts.
          const isOneHost = source === destination && from.hostCount === 1;
          for (const { position, numbers } of columns)
            if (!isOneHost || position !== from.position) found.add(numbers[from.position]!);
        }
        return traffics.combine(found);
      };
    },
    readRegionColumn: (regionIndex) => {
      const numbers = numbersTo(given.classes.length + regionIndex);
      return ({ members }) => traffics.combine(new Set(members.map(({ position }) => numbers[position]!)));
    },
  };
}

type TrafficNumbers = ReturnType<typeof createTrafficNumbers>;

/** Numbers each distinct traffic, because comparing numbers is fast and most cells have one of a few. */
function createTrafficNumbers() {
  const numbers = new Map<string, number>();
  const traffics: TrafficRange[][] = [];
  const combined = new Map<string, RowCell | undefined>();
  const combineTraffics = (found: readonly number[]) => {
    const traffic = joinTraffic(found.flatMap((number) => traffics[number]!));
    return traffic.length > 0 ? { traffic, isPartial: found.length > 1 } : undefined;
  };
  return {
    numberOf(traffic: TrafficRange[]): number {
      const key = JSON.stringify(traffic);
      const number = numbers.get(key) ?? traffics.push(traffic) - 1;
      numbers.set(key, number);
      return number;
    },
    combine(found: ReadonlySet<number>): RowCell | undefined {
      const sorted = [...found].toSorted((a, b) => a - b);
      const key = sorted.join(" ");
      if (!combined.has(key)) combined.set(key, combineTraffics(sorted));
      return combined.get(key);
    },
  };
}

/** The number of the traffic that each class may send to the destination. */
function numberTraffic(given: AccessMatrix, destination: number, traffics: TrafficNumbers): Uint32Array {
  const groups = groupSources(given, destination);
  const numbers = new Map<number, number>();
  return groups.map((group, position) => {
    const number = numbers.get(group) ?? traffics.numberOf(findCell(given, position, destination).traffic);
    numbers.set(group, number);
    return number;
  });
}
