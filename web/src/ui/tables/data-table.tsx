import { Suspense, type ReactNode } from "react";
import { Button } from "../controls/button.tsx";
import { classNames } from "../base/class-names.ts";
import styles from "./data-table.module.css";
import { Body, Head, Loading } from "./data-table-parts.tsx";
import type { DataTableProps } from "./data-table-props.ts";
import { roles } from "./data-table-row.tsx";
import { EmptyState } from "../feedback/empty-state.tsx";
import { ErrorState } from "../feedback/error-state.tsx";
import { Notice } from "../feedback/notice.tsx";
import { useIsPhone } from "../base/phone.ts";
import { appearDelayMs, useElapsed } from "../base/timer.ts";
import { Pagination } from "./pagination.tsx";
import { Announcement } from "../base/visually-hidden.tsx";

export type { Column, DataTableProps } from "./data-table-props.ts";

/** With more columns, the table may be wider than the page and scrolls within its frame. */
const COLUMNS_FITTING = 8;

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
    // The rows of phones load on demand; what is below them appears with them.
    <Suspense>
      {failure && <OldRows {...failure} refreshing={refreshing} />}
      <div className={classNames(styles.frame, props.columns.length > COLUMNS_FITTING && styles.scrolling)}>
        {rows && refreshing && <Progress />}
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
    </Suspense>
  );
}

/** Added late: most lists are there before. */
const Progress = () => useElapsed(appearDelayMs) && <div className={styles.progress} />;

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
