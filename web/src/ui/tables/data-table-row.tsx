import { memo, type ReactNode } from "react";
import { Link } from "react-router";
import { CheckboxInput } from "../forms/checkbox.tsx";
import { classNames } from "../base/class-names.ts";
import styles from "./data-table.module.css";
import type { Column } from "./data-table-props.ts";

// On phones, the elements aren't laid out as a table, and some browsers then drop the table roles.
export const roles = {
  table: { role: "table" },
  rowgroup: { role: "rowgroup" },
  row: { role: "row" },
  columnheader: { role: "columnheader" },
  cell: { role: "cell" },
};

export function columnClass<Row>({ align, hideBelow, hideHeader }: Column<Row>, index: number) {
  return classNames(
    index === 0 && styles.lead,
    align === "end" && styles.end,
    hideBelow && styles[hideBelow],
    hideHeader && styles.corner,
  );
}

export interface BodyRowProps<Row> {
  id: string;
  row: Row;
  columns: readonly Column<Row>[];
  link: string | undefined;
  /** Shown below the row. */
  detail: ReactNode;
  /** The row's name in the label of its checkbox, if rows can be selected. */
  selectName: string | undefined;
  isSelected: boolean;
  onToggle: (key: string, range: boolean) => void;
  /** The current sort key. */
  sortedBy: string | undefined;
}

type SelectCellProps = Pick<BodyRowProps<unknown>, "id" | "selectName" | "isSelected" | "onToggle"> & {
  className: string | undefined;
};

export function SelectCell({ id, selectName, isSelected, onToggle, className }: SelectCellProps) {
  if (selectName === undefined) return null;
  return (
    <td {...roles.cell} className={className}>
      <CheckboxInput
        aria-label={`Select ${selectName}`}
        checked={isSelected}
        onChange={({ nativeEvent }) => onToggle(id, wasShifted(nativeEvent))}
      />
    </td>
  );
}

function PlainBodyRow<Row>(props: BodyRowProps<Row>) {
  const { row, columns, link, detail, isSelected } = props;
  return (
    <>
      <tr {...roles.row} data-selected={isSelected || undefined}>
        <SelectCell {...props} className={styles.select} />
        {columns.map((column, index) => (
          <Cell key={column.id} column={column} row={row} index={index} link={link} />
        ))}
      </tr>
      {detail && (
        <tr {...roles.row} data-detail>
          <td {...roles.cell} colSpan={columns.length} className={styles.detail}>
            {detail}
          </td>
        </tr>
      )}
    </>
  );
}

/** Memoized, because the list renders on every key typed into its search. */
export const BodyRow = memo(PlainBodyRow) as typeof PlainBodyRow;

/** A checkbox changes by a click, with the mouse or the space bar. */
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
    <td {...roles.cell} data-lead={isLead || undefined} className={columnClass(column, index)}>
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
