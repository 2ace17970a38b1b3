/** Which groups of hosts reach which others and which subnets. */
import {
  type AccessMatrix,
  type AccessTraffic,
  MATRIX_HOSTS_MAX,
  MATRIX_ROWS_MAX,
} from "@lightkeeper/contract";
import type { Region } from "@lightkeeper/nebula/access";
import { ApiError } from "../../../infrastructure/errors/api-error.ts";
import type { LoadedNetwork } from "./loaded-network.ts";
import { type CellReader, createCellReader, type FindCellFrom, type RowCell } from "./matrix-cells.ts";
import { createMatrixFilter, type MatrixFilter, type MatrixQuery } from "./matrix-filter.ts";
import { buildRows, type MatrixRow, sortRows } from "./matrix-rows.ts";
import { matrixOf } from "./network-matrix.ts";
import { presentGroup, presentSubnet, presentTraffic } from "./present.ts";

interface FoundCell extends RowCell {
  source: MatrixRow;
  destination: MatrixRow | Region;
}

interface Column {
  destination: MatrixRow | Region;
  findCellFrom: FindCellFrom;
}

interface Search {
  loaded: LoadedNetwork;
  filter: MatrixFilter;
  cells: CellReader;
}

export function describeAccessMatrix(loaded: LoadedNetwork, query: MatrixQuery): AccessMatrix {
  const given = matrixOf(loaded.network);
  const filter = createMatrixFilter(loaded, query);
  const search = { loaded, filter, cells: createCellReader(given) };
  const { candidates, hiddenCount } = selectRows(search, query);
  const found = findCells(search, candidates);
  const inCells = new Set(found.flatMap(({ source, destination }) => [source, destination]));
  const groups = candidates.filter((row) => inCells.has(row) || filter.matchesRow(row));
  const subnets = given.regions.filter((region) => inCells.has(region) || !filter.isActive);
  return {
    hostCount: loaded.network.hosts.length,
    detail: query.detail,
    groups: groups.map((row) => presentGroup(loaded, row)),
    groupCount: groups.length + hiddenCount,
    subnets: subnets.map(presentSubnet),
    ...numberCells([...groups, ...subnets], found),
    revision: loaded.revision,
  };
}

/** The rows that match, and with a filter also the rows that reach them or are reached by them. */
function selectRows(
  search: Search,
  { detail }: MatrixQuery,
): { candidates: MatrixRow[]; hiddenCount: number } {
  const { loaded, filter } = search;
  const rows = buildRows(loaded, matrixOf(loaded.network), detail);
  const matching = rows.filter((row) => filter.mayMatchRow(row));
  if (detail === "hosts" && matching.length > MATRIX_HOSTS_MAX) throw tooManyHosts(matching.length);
  const shown = matching.slice(0, MATRIX_ROWS_MAX);
  const others = detail === "hosts" || matching.length === rows.length ? [] : findOthers(rows, matching);
  const related = findRelated(search, shown, others);
  const candidates = [...shown, ...related].slice(0, MATRIX_ROWS_MAX);
  return {
    candidates: sortRows(loaded, candidates),
    hiddenCount: matching.length + related.length - candidates.length,
  };
}

const tooManyHosts = (count: number) =>
  new ApiError("ERR_INVALID_VALUE", {
    path: "detail",
    message: `${count} hosts match; filter first: the matrix shows up to ${MATRIX_HOSTS_MAX} hosts`,
  });

function findOthers(rows: readonly MatrixRow[], matching: readonly MatrixRow[]): MatrixRow[] {
  const known = new Set(matching);
  return rows.filter((row) => !known.has(row));
}

/** Those of the other rows that have a cell with one of the shown rows, or with a subnet that matches. */
function findRelated(search: Search, shown: readonly MatrixRow[], others: readonly MatrixRow[]): MatrixRow[] {
  if (others.length === 0) return [];
  const related = new Set<MatrixRow>();
  for (const column of readColumns(search, shown)) {
    for (const source of others) if (findCell(search, source, column)) related.add(source);
  }
  for (const destination of others) {
    const column = { destination, findCellFrom: search.cells.readColumn(destination) };
    if (shown.some((source) => findCell(search, source, column))) related.add(destination);
  }
  return others.filter((row) => related.has(row));
}

/** The columns of the rows and of all subnets, one at a time. */
function* readColumns({ loaded, cells }: Search, rows: readonly MatrixRow[]): Generator<Column> {
  for (const destination of rows) yield { destination, findCellFrom: cells.readColumn(destination) };
  for (const [index, destination] of matrixOf(loaded.network).regions.entries())
    yield { destination, findCellFrom: cells.readRegionColumn(index) };
}

/** Undefined if there is no access, or if the filter leaves it out. */
function findCell(
  { filter }: Search,
  source: MatrixRow,
  { destination, findCellFrom }: Column,
): RowCell | undefined {
  const cell = findCellFrom(source);
  const to = "cidr" in destination ? destination.cidr : destination;
  return cell && filter.matchesCell(source, to, cell.traffic) ? cell : undefined;
}

function findCells(search: Search, rows: readonly MatrixRow[]): FoundCell[] {
  return [...readColumns(search, rows)].flatMap((column) =>
    rows.flatMap((source): FoundCell[] => {
      const cell = findCell(search, source, column);
      return cell ? [{ source, destination: column.destination, ...cell }] : [];
    }),
  );
}

/** Stores each set of traffic once, because most cells have one of a few. */
function numberCells(
  axis: readonly (MatrixRow | Region)[],
  found: readonly FoundCell[],
): Pick<AccessMatrix, "traffic" | "cells"> {
  const positions = new Map(axis.map((one, position) => [one, position]));
  const numbers = new Map<string, number>();
  const traffic: AccessTraffic[][] = [];
  const numberOf = (presented: AccessTraffic[]) => {
    const key = JSON.stringify(presented);
    const number = numbers.get(key) ?? traffic.push(presented) - 1;
    numbers.set(key, number);
    return number;
  };
  const cells = found.map((cell) => ({
    source: positions.get(cell.source)!,
    destination: positions.get(cell.destination)!,
    traffic: numberOf(presentTraffic(cell.traffic)),
    isPartial: cell.isPartial,
  }));
  return { traffic, cells };
}
