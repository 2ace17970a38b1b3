import { lazy, Suspense, useCallback, useEffect, useRef, useState, type ReactNode } from "react";
import { CheckboxInput } from "../forms/checkbox.tsx";
import { classNames } from "../base/class-names.ts";
import styles from "./data-table.module.css";
import type { PhoneRow as PhoneRowType } from "./data-table-phone.tsx";
import { ROW_HEIGHT, useDrawnRows } from "./drawn-rows.ts";
import { BodyRow, columnClass, roles } from "./data-table-row.tsx";
import type { Column, DataTableProps } from "./data-table-props.ts";
import { ArrowDownIcon, ArrowUpIcon } from "../base/icons.tsx";
import { isPhone as isPhoneNow } from "../base/phone.ts";
import { Skeleton, skeletonWidth } from "../feedback/skeleton.tsx";
import { appearDelayMs, useElapsed } from "../base/timer.ts";
import { Announcement, VisuallyHidden } from "../base/visually-hidden.tsx";

// Loaded only on phones, together with the table.
const loadPhoneRows = () => import("./data-table-phone.tsx");
const PhoneRow = lazy(async () => ({
  default: (await loadPhoneRows()).PhoneRow,
})) as unknown as typeof PhoneRowType;
const PhoneSkeletonRow = lazy(async () => ({ default: (await loadPhoneRows()).PhoneSkeletonRow }));
if (isPhoneNow()) void loadPhoneRows().catch(() => undefined);

export function Head<Row>({ columns, order, onSort, selection, rows, rowKey }: DataTableProps<Row>) {
  return (
    <thead {...roles.rowgroup} className={styles.head}>
      <tr {...roles.row}>
        {selection && (
          <th {...roles.columnheader} scope="col" className={styles.select}>
            <SelectPage selection={selection.state} page={rows?.map(rowKey) ?? []} />
          </th>
        )}
        {columns.map((column, index) => {
          const direction = column.sortKey !== undefined && order?.key === column.sortKey ? order : undefined;
          return (
            <th
              key={column.id}
              {...roles.columnheader}
              scope="col"
              style={{ width: column.width }}
              className={classNames(columnClass(column, index), column.sortKey && styles.sortable)}
              aria-sort={direction && (direction.descending ? "descending" : "ascending")}
            >
              <HeaderLabel column={column} direction={direction} onSort={onSort} />
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

interface HeaderLabelProps<Row> {
  column: Column<Row>;
  direction: { descending: boolean } | undefined;
  onSort: ((sortKey: string) => void) | undefined;
}

function HeaderLabel<Row>({ column, direction, onSort }: HeaderLabelProps<Row>): ReactNode {
  const { header, hideHeader, sortKey } = column;
  if (hideHeader) return <VisuallyHidden>{header}</VisuallyHidden>;
  if (sortKey === undefined || !onSort) return header;
  const Arrow = direction?.descending ? ArrowDownIcon : ArrowUpIcon;
  return (
    <button type="button" className={styles.sort} onClick={() => onSort(sortKey)}>
      {header}
      <Arrow width={12} height={12} className={classNames(styles.arrow, direction && styles.sorted)} />
    </button>
  );
}

type SelectionState = NonNullable<DataTableProps<unknown>["selection"]>["state"];

function SelectPage({ selection, page }: { selection: SelectionState; page: readonly string[] }) {
  const chosen = page.filter(selection.has).length;
  return (
    <CheckboxInput
      aria-label="Select every row on this page"
      disabled={page.length === 0}
      checked={chosen > 0 && chosen === page.length}
      indeterminate={chosen > 0 && chosen < page.length}
      onChange={() => selection.togglePage(page)}
    />
  );
}

interface OnPhone {
  isPhone: boolean;
}

export function Body<Row>(props: DataTableProps<Row> & OnPhone & { rows: readonly Row[] }) {
  const { columns, rows, rowKey, rowLink, rowDetail, selection, order, isPhone } = props;
  const RowOf = isPhone ? PhoneRow : BodyRow;
  const keys = rows.map(rowKey);
  const { drawn, isFirst } = useDrawnRows(rows, props);
  const slots = useSlots(drawn.map(rowKey), props.scope);
  const latest = useRef({ keys, toggle: selection?.state.toggle });
  useEffect(() => {
    latest.current = { keys, toggle: selection?.state.toggle };
  });
  const toggle = useCallback((key: string, range: boolean) => {
    const { keys: page, toggle: change } = latest.current;
    change?.(key, page, { range });
  }, []);
  return (
    <tbody {...roles.rowgroup} data-first-rows={isFirst || undefined}>
      {drawn.map((row) => {
        const key = rowKey(row);
        return (
          <RowOf
            key={slots.get(key)}
            id={key}
            row={row}
            columns={columns}
            link={rowLink?.(row)}
            detail={rowDetail?.(row)}
            selectName={selection?.nameOf(row)}
            isSelected={selection?.state.has(key) ?? false}
            onToggle={toggle}
            sortedBy={order?.key}
          />
        );
      })}
      {drawn.length < rows.length && <Space rows={rows.length - drawn.length} />}
    </tbody>
  );
}

/** The space of rows that follow, so that the page keeps its height. */
const Space = ({ rows }: { rows: number }) => (
  <tr aria-hidden="true">
    <td className={styles.space} style={{ height: rows * ROW_HEIGHT }}>
      {"\u00a0"}
    </td>
  </tr>
);

interface Slots {
  scope: string | undefined;
  of: ReadonlyMap<string, number>;
}

/** Rows that stay keep their slot. In a new scope, new rows reuse the slots of removed rows. */
function nextSlots({ scope: before, of }: Slots, keys: readonly string[], scope: string | undefined): Slots {
  const staying = new Set(keys);
  const left = before === scope ? [] : [...of].flatMap(([key, slot]) => (staying.has(key) ? [] : [slot]));
  let unused = Math.max(-1, ...of.values()) + 1;
  const taken = keys.map((key) => [key, of.get(key) ?? left.shift() ?? unused++] as const);
  return { scope, of: new Map(taken) };
}

function useSlots(keys: readonly string[], scope: string | undefined): ReadonlyMap<string, number> {
  const [slots, setSlots] = useState<Slots>(() => nextSlots({ scope, of: new Map() }, keys, scope));
  if (keys.length === slots.of.size && keys.every((key) => slots.of.has(key))) return slots.of;
  const next = nextSlots(slots, keys, scope);
  setSlots(next);
  return next.of;
}

export function Loading<Row>(props: DataTableProps<Row> & OnPhone) {
  const { columns, label, selection, skeletonRows = 8, isPhone } = props;
  const visible = useElapsed(appearDelayMs);
  const hasSelect = selection !== undefined;
  const announcementOf = (number: number) =>
    number === 0 && visible && <Announcement>Loading {label}</Announcement>;
  return (
    <tbody {...roles.rowgroup} className={classNames(!visible && styles.notYet)}>
      <Suspense>
        {Array.from({ length: skeletonRows }, (_, number) =>
          isPhone ? (
            <PhoneSkeletonRow
              key={number}
              number={number}
              hasSelect={hasSelect}
              announcement={announcementOf(number)}
            />
          ) : (
            <SkeletonRow
              key={number}
              number={number}
              columns={columns}
              hasSelect={hasSelect}
              announcement={announcementOf(number)}
            />
          ),
        )}
      </Suspense>
    </tbody>
  );
}

interface SkeletonRowProps<Row> {
  number: number;
  columns: readonly Column<Row>[];
  hasSelect: boolean;
  announcement: ReactNode;
}

function SkeletonRow<Row>({ number, columns, hasSelect, announcement }: SkeletonRowProps<Row>) {
  return (
    <tr {...roles.row}>
      {hasSelect && <td {...roles.cell} className={styles.select} />}
      {columns.map((column, index) => (
        <td key={column.id} {...roles.cell} className={columnClass(column, index)}>
          {!column.hideHeader && <Skeleton width={skeletonWidth(number + index)} />}
          {index === 0 && announcement}
        </td>
      ))}
    </tr>
  );
}
