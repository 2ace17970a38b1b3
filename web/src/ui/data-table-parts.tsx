import { memo, useCallback, useDeferredValue, useEffect, useRef, useState, type ReactNode } from "react";
import { Link } from "react-router";
import { CheckboxInput } from "./checkbox.tsx";
import { classNames } from "./class-names.ts";
import styles from "./data-table.module.css";
import type { Column, DataTableProps } from "./data-table.tsx";
import { ArrowDownIcon, ArrowUpIcon } from "./icons.tsx";
import { Skeleton, skeletonWidth } from "./skeleton.tsx";
import { appearDelayMs, useElapsed } from "./timer.ts";
import { Announcement, VisuallyHidden } from "./visually-hidden.tsx";

// As cards the parts are no longer laid out as a table, and some browsers then forget that it is one.
export const roles = {
  table: { role: "table" },
  rowgroup: { role: "rowgroup" },
  row: { role: "row" },
  columnheader: { role: "columnheader" },
  cell: { role: "cell" },
};

function columnClass<Row>({ align, hideBelow, hideHeader }: Column<Row>, index: number) {
  return classNames(
    index === 0 && styles.lead,
    align === "end" && styles.end,
    hideBelow && styles[hideBelow],
    hideHeader && styles.corner,
  );
}

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

export function Body<Row>(props: DataTableProps<Row> & { rows: readonly Row[] }) {
  const { columns, rows, rowKey, rowLink, selection } = props;
  const keys = rows.map(rowKey);
  const drawn = useDrawnRows(rows, rowKey);
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
    <tbody {...roles.rowgroup}>
      {drawn.map((row) => {
        const key = rowKey(row);
        return (
          <BodyRow
            key={slots.get(key)}
            id={key}
            row={row}
            columns={columns}
            link={rowLink?.(row)}
            selectName={selection?.nameOf(row)}
            isSelected={selection?.state.has(key) ?? false}
            onToggle={toggle}
          />
        );
      })}
    </tbody>
  );
}

/** As many as a screen shows; others that are new come a moment later, so that these need not wait for them. */
const EARLY_ROWS = 14;

function useDrawnRows<Row>(rows: readonly Row[], rowKey: (row: Row) => string): readonly Row[] {
  const settled = useDeferredValue(rows);
  if (settled === rows) return rows;
  const known = new Set(settled.map(rowKey));
  return rows.filter((row, place) => place < EARLY_ROWS || known.has(rowKey(row)));
}

interface Slots {
  scope: string | undefined;
  of: ReadonlyMap<string, number>;
}

/** Whoever stays keeps their place in the document. In another scope, newcomers take the places of those who left. */
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

interface BodyRowProps<Row> {
  id: string;
  row: Row;
  columns: readonly Column<Row>[];
  link: string | undefined;
  /** What its checkbox is named after, where rows can be selected. */
  selectName: string | undefined;
  isSelected: boolean;
  onToggle: (key: string, range: boolean) => void;
}

function PlainBodyRow<Row>(props: BodyRowProps<Row>) {
  const { id, row, columns, link, selectName, isSelected, onToggle } = props;
  return (
    <tr {...roles.row} data-selected={isSelected || undefined}>
      {selectName !== undefined && (
        <td {...roles.cell} className={styles.select}>
          <CheckboxInput
            aria-label={`Select ${selectName}`}
            checked={isSelected}
            onChange={({ nativeEvent }) => onToggle(id, wasShifted(nativeEvent))}
          />
        </td>
      )}
      {columns.map((column, index) => (
        <Cell key={column.id} column={column} row={row} index={index} link={link} />
      ))}
    </tr>
  );
}

/** Drawn again only when something about it has changed: a list is drawn at every key in its search. */
const BodyRow = memo(PlainBodyRow) as typeof PlainBodyRow;

/** A checkbox changes by a click, be it of a mouse or of the space bar. */
const wasShifted = (event: Event) => event instanceof MouseEvent && event.shiftKey;

interface CellProps<Row> {
  column: Column<Row>;
  row: Row;
  index: number;
  link: string | undefined;
}

function Cell<Row>({ column, row, index, link }: CellProps<Row>) {
  const content = column.cell(row);
  const isLead = index === 0;
  return (
    <td
      {...roles.cell}
      data-lead={isLead || undefined}
      data-label={isLead || column.hideHeader ? undefined : column.header}
      className={columnClass(column, index)}
    >
      {isLead && link !== undefined ? (
        <Link to={link} className={styles.link}>
          {content}
        </Link>
      ) : (
        content
      )}
    </td>
  );
}

export function Loading<Row>({ columns, label, selection, skeletonRows = 8 }: DataTableProps<Row>) {
  const visible = useElapsed(appearDelayMs);
  return (
    <tbody {...roles.rowgroup} className={classNames(!visible && styles.notYet)}>
      {Array.from({ length: skeletonRows }, (_, row) => (
        <tr key={row} {...roles.row}>
          {selection && <td {...roles.cell} className={styles.select} />}
          {columns.map((column, index) => (
            <td key={column.id} {...roles.cell} className={columnClass(column, index)}>
              {!column.hideHeader && <Skeleton width={skeletonWidth(row + index)} />}
              {row === 0 && index === 0 && visible && <Announcement>Loading {label}</Announcement>}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}
