/** Which rows and cells of the matrix match the filters of a request. */
import type { getAccessMatrix, QueryOf } from "@lightkeeper/contract";
import type { TrafficRange } from "@lightkeeper/nebula/access";
import { includesPort, parseSearch } from "./access-search.ts";
import type { LoadedNetwork } from "./loaded-network.ts";
import type { MatrixRow } from "./matrix-rows.ts";

export type MatrixQuery = QueryOf<typeof getAccessMatrix>;

export interface MatrixFilter {
  readonly isActive: boolean;
  /** Whether cells of the row may be shown. */
  mayMatchRow(row: MatrixRow): boolean;
  /** Whether the row is shown even without cells. */
  matchesRow(row: MatrixRow): boolean;
  /** The destination is a row or a subnet. */
  matchesCell(source: MatrixRow, destination: MatrixRow | string, traffic: readonly TrafficRange[]): boolean;
}

export function createMatrixFilter(loaded: LoadedNetwork, query: MatrixQuery): MatrixFilter {
  const { "filter.tag": tag, "filter.port": port } = query;
  const search = parseSearch(query["filter.search"]);
  const hasTag = ({ hosts }: MatrixRow) => !tag || hosts.some(({ tags }) => tags.includes(tag));
  const hasName = (row: MatrixRow) => search === undefined || search.matchesGroup(loaded, row);
  const isRow = (destination: MatrixRow | string) => typeof destination !== "string";
  return {
    isActive: Boolean(tag) || port !== undefined || search !== undefined,
    mayMatchRow: (row) => hasTag(row) && (search?.isTraffic === true || hasName(row)),
    matchesRow: (row) => port === undefined && hasTag(row) && hasName(row),
    matchesCell: (source, destination, traffic) => {
      const rows = [source, destination].filter(isRow);
      const isNamed = (one: MatrixRow | string) =>
        typeof one === "string" ? search === undefined || search.matchesText(one) : hasName(one);
      return (
        (port === undefined || includesPort(traffic, port)) &&
        rows.some(hasTag) &&
        ([source, destination].some(isNamed) || search?.matchesTraffic(traffic) === true)
      );
    },
  };
}
