import type { CSSProperties, ReactNode } from "react";
import { Button } from "../controls/button.tsx";
import { classNames } from "../base/class-names.ts";
import styles from "./data-table.module.css";
import { Body, Head, Loading } from "./data-table-parts.tsx";
import { roles } from "./data-table-row.tsx";
import { EmptyState } from "../feedback/empty-state.tsx";
import { ErrorState } from "../feedback/error-state.tsx";
import { Notice } from "../feedback/notice.tsx";
import { useIsPhone } from "../base/phone.ts";
import { Pagination, type PaginationProps } from "./pagination.tsx";
import type { Selection } from "./selection.ts";
import { Announcement } from "../base/visually-hidden.tsx";

/** With more columns, the table may be wider than the page and scrolls within its frame. */
const COLUMNS_FITTING = 8;

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
  rowKey: (row: Row) => string;
  /** Identifies the list, such as by its search. In a new scope, rows may reuse the elements of old rows. */
  scope?: string | undefined;
  /** Makes the first column's content a link. */
  rowLink?: ((row: Row) => string) | undefined;
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

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { rows, failure, refreshing, filter, empty, pagination } = props;
  const isPhone = useIsPhone();
  if (!rows && failure)
    return (
      <div className={styles.frame}>
        <ErrorState {...failure} retrying={refreshing} />
      </div>
    );
  if (rows?.length === 0 && !failure)
    return <div className={styles.frame}>{filter ? <NothingMatches {...filter} /> : empty}</div>;
  return (
    <>
      {failure && <OldRows {...failure} refreshing={refreshing} />}
      <div className={classNames(styles.frame, props.columns.length > COLUMNS_FITTING && styles.scrolling)}>
        {rows && refreshing && <div className={styles.progress} />}
        <table
          {...roles.table}
          aria-label={props.label}
          aria-busy={!rows || refreshing}
          className={styles.table}
        >
          <Head {...props} />
          {rows ? (
            <Body {...props} rows={rows} isPhone={isPhone} />
          ) : (
            <Loading {...props} isPhone={isPhone} />
          )}
        </table>
      </div>
      {rows && pagination && <Pagination {...pagination} />}
    </>
  );
}

function NothingMatches({ description, onClear }: { description: ReactNode; onClear: () => void }) {
  return (
    <>
      <Announcement>Nothing matches</Announcement>
      <EmptyState title="Nothing matches" action={<Button onClick={onClear}>Clear</Button>}>
        {description}
      </EmptyState>
    </>
  );
}

interface OldRowsProps {
  message: ReactNode;
  onRetry: () => void;
  refreshing: boolean | undefined;
}

function OldRows({ message, onRetry, refreshing }: OldRowsProps) {
  return (
    <div className={styles.notice}>
      <Notice
        tone="warn"
        actions={
          <Button size="small" onClick={onRetry} pending={refreshing}>
            Try again
          </Button>
        }
      >
        This list may be out of date. {message}
      </Notice>
    </div>
  );
}
