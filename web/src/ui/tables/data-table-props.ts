import type { CSSProperties, ReactNode } from "react";
import type { PaginationProps } from "./pagination.tsx";
import type { Selection } from "./selection.ts";

export interface Column<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  align?: "start" | "end" | undefined;
  width?: CSSProperties["width"];
  /** Hidden on screens narrower than 1240, 740 or 620 px, but not on phones. */
  hideBelow?: "small" | "narrow" | "narrowest" | undefined;
  /** The header is visible to screen readers only, such as for a row's menu. */
  hideHeader?: boolean | undefined;
  /** The sort key that the header selects. */
  sortKey?: string | undefined;
  /**
   * On phones: beside the name, hidden unless the list is sorted by it, or a summary on the second line. By default the
   * second line has the header and the cell. The first column is always the first line.
   */
  phone?: "beside" | "hidden" | ((row: Row) => ReactNode) | undefined;
}

export interface DataTableProps<Row> {
  /** The table's accessible name. */
  label: string;
  columns: readonly Column<Row>[];
  /** Undefined while loading. */
  rows: readonly Row[] | undefined;
  /** The page was shown without rows first. It has no scroll position to restore, so rows may be rendered step by step. */
  isLoadedLate?: boolean | undefined;
  rowKey: (row: Row) => string;
  /** Identifies the list, such as by its search. In a new scope, rows may reuse the elements of old rows. */
  scope?: string | undefined;
  /** Makes the first column's content a link. */
  rowLink?: ((row: Row) => string) | undefined;
  /** Shown below a row, over the whole width; undefined for rows without. */
  rowDetail?: ((row: Row) => ReactNode) | undefined;
  /** Makes rows selectable; each checkbox is labeled with its row's name. */
  selection?: { state: Selection; nameOf: (row: Row) => string } | undefined;
  order?: { key: string; descending: boolean } | undefined;
  onSort?: ((sortKey: string) => void) | undefined;
  /** Newer rows are loading; the current ones stay. */
  refreshing?: boolean | undefined;
  failure?: { message: ReactNode; requestID?: string | undefined; onRetry: () => void } | undefined;
  /** Instructions with the exact next action. */
  empty: ReactNode;
  /** Set while a search or filter is active. */
  filter?: { description: ReactNode; onClear: () => void } | undefined;
  pagination?: PaginationProps | undefined;
  skeletonRows?: number | undefined;
}
