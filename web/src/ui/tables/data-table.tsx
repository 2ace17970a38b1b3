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

/** With more the table may be wider than the page: it is then scrolled within its frame. */
const COLUMNS_FITTING = 8;

export interface Column<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  align?: "start" | "end" | undefined;
  width?: CSSProperties["width"];
  /** Left out on screens narrower than 1240, 740 or 620 px, but not on phones. */
  hideBelow?: "small" | "narrow" | "narrowest" | undefined;
  /** The header is there for screen readers only: a row's menu. */
  hideHeader?: boolean | undefined;
  /** What the list is ordered by when the header is pressed. */
  sortKey?: string | undefined;
  /**
   * On phones: beside the name, hidden unless the list is sorted by it, or its words in the second line. By default the
   * second line has the header and the cell. The first column is always the first line.
   */
  phone?: "beside" | "hidden" | ((row: Row) => ReactNode) | undefined;
}

export interface DataTableProps<Row> {
  /** The table's accessible name. */
  label: string;
  columns: readonly Column<Row>[];
  /** Undefined until they are known. */
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  /** What the rows are of, such as a search: in another one they are others, and may be drawn over these. */
  scope?: string | undefined;
  /** Makes the first column's content a link. */
  rowLink?: ((row: Row) => string) | undefined;
  /** Lets rows be selected; each checkbox is named after its row. */
  selection?: { state: Selection; nameOf: (row: Row) => string } | undefined;
  order?: { key: string; descending: boolean } | undefined;
  onSort?: ((sortKey: string) => void) | undefined;
  /** Newer rows are on their way; these stay. */
  refreshing?: boolean | undefined;
  failure?: { message: ReactNode; requestID?: string | undefined; onRetry: () => void } | undefined;
  /** Instructions with the exact next action. */
  empty: ReactNode;
  /** Given while a search or filter is on: which one, and how to drop it. */
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
