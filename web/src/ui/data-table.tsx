import type { CSSProperties, ReactNode } from "react";
import { Link } from "react-router";
import { Button } from "./button.tsx";
import { classNames } from "./class-names.ts";
import styles from "./data-table.module.css";
import { EmptyState } from "./empty-state.tsx";
import { ErrorState } from "./error-state.tsx";
import { Notice } from "./notice.tsx";
import { Pagination, type PaginationProps } from "./pagination.tsx";
import { Skeleton, skeletonWidth } from "./skeleton.tsx";
import { appearDelayMs, useElapsed } from "./timer.ts";
import { Announcement, VisuallyHidden } from "./visually-hidden.tsx";

export interface Column<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  align?: "start" | "end" | undefined;
  width?: CSSProperties["width"];
  /** Left out on screens this narrow; between 501 and 915 px wide with "small". Cards show every column. */
  hideBelow?: "small" | undefined;
  /** The header is there for screen readers only: a row's menu. */
  hideHeader?: boolean | undefined;
}

export interface DataTableProps<Row> {
  /** The table's accessible name. */
  label: string;
  columns: readonly Column<Row>[];
  /** Undefined until they are known. */
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  /** Makes the first column's content a link. */
  rowLink?: ((row: Row) => string) | undefined;
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
      <div className={styles.frame}>
        {rows && refreshing && <div className={styles.progress} />}
        <table
          {...roles.table}
          aria-label={props.label}
          aria-busy={!rows || refreshing}
          className={styles.table}
        >
          <Head columns={props.columns} />
          {rows ? <Body {...props} rows={rows} /> : <Loading {...props} />}
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

// As cards the parts are no longer laid out as a table, and some browsers then forget that it is one.
const roles = {
  table: { role: "table" },
  rowgroup: { role: "rowgroup" },
  row: { role: "row" },
  columnheader: { role: "columnheader" },
  cell: { role: "cell" },
};

function columnClass<Row>({ align, hideBelow, hideHeader }: Column<Row>) {
  return classNames(align === "end" && styles.end, hideBelow && styles.wideOnly, hideHeader && styles.corner);
}

function Head<Row>({ columns }: { columns: readonly Column<Row>[] }) {
  return (
    <thead {...roles.rowgroup} className={styles.head}>
      <tr {...roles.row}>
        {columns.map((column) => (
          <th
            key={column.id}
            {...roles.columnheader}
            scope="col"
            style={{ width: column.width }}
            className={columnClass(column)}
          >
            {column.hideHeader ? <VisuallyHidden>{column.header}</VisuallyHidden> : column.header}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function Body<Row>({ columns, rows, rowKey, rowLink }: DataTableProps<Row> & { rows: readonly Row[] }) {
  return (
    <tbody {...roles.rowgroup}>
      {rows.map((row) => (
        <tr key={rowKey(row)} {...roles.row}>
          {columns.map((column, index) => (
            <td
              key={column.id}
              {...roles.cell}
              data-label={index === 0 || column.hideHeader ? undefined : column.header}
              className={columnClass(column)}
            >
              {index === 0 && rowLink ? (
                <Link to={rowLink(row)} className={styles.link}>
                  {column.cell(row)}
                </Link>
              ) : (
                column.cell(row)
              )}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}

function Loading<Row>({ columns, label, skeletonRows = 8 }: DataTableProps<Row>) {
  const visible = useElapsed(appearDelayMs);
  return (
    <tbody {...roles.rowgroup} className={classNames(!visible && styles.notYet)}>
      {Array.from({ length: skeletonRows }, (_, row) => (
        <tr key={row} {...roles.row}>
          {columns.map((column, index) => (
            <td key={column.id} {...roles.cell} className={columnClass(column)}>
              {!column.hideHeader && <Skeleton width={skeletonWidth(row + index)} />}
              {row === 0 && index === 0 && visible && <Announcement>Loading {label}</Announcement>}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}
