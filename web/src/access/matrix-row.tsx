import { memo } from "react";
import { formatNumber } from "../lib/format.ts";
import type { TrafficSummary } from "../rules/traffic-labels.ts";
import { classNames } from "../ui/base/class-names.ts";
import { DenseCells } from "./dense-cells.tsx";
import { cellName, lineName, type MatrixModel } from "./matrix-model.ts";
import styles from "./matrix-grid.module.css";
import type { GridGeometry } from "./use-grid-window.ts";

interface MatrixRowProps {
  model: MatrixModel;
  row: number;
  /** The columns to render. */
  columns: readonly number[];
  geometry: GridGeometry;
  /** The column of the cell that Tab reaches, if it is in this row. */
  activeColumn: number | undefined;
  pinnedColumn: number | undefined;
  /** The column of the cell that is explained. */
  shownColumn: number | undefined;
}

/** Rendered again only if something in the row changes, so that scrolling stays fast. */
export const MatrixRow = memo(function MatrixRow(props: MatrixRowProps) {
  const { model, row, columns, geometry, activeColumn, pinnedColumn, shownColumn } = props;
  const line = model.rows[row];
  if (!line) return null;
  const { rowHeight, headerHeight, headerWidth } = geometry;
  const { hostCount = 0 } = line;
  // In a long list of single hosts, the number 1 says nothing.
  const isCountShown = hostCount > (model.isDense ? 1 : 0);
  const used = new Set([activeColumn, pinnedColumn, shownColumn]);
  const cells = model.isDense ? columns.filter((column) => used.has(column)) : columns;
  return (
    <div
      role="row"
      aria-rowindex={row + 2}
      className={styles.row}
      style={{ top: headerHeight + row * rowHeight, height: rowHeight }}
    >
      <div
        role="rowheader"
        aria-colindex={1}
        className={classNames(styles.rowHeader, shownColumn !== undefined && styles.highlighted)}
        style={{ width: headerWidth }}
        title={lineName(line)}
      >
        <span className={styles.name}>
          <bdi>{line.title}</bdi>
          {line.subtitle && !model.isDense && <small>{line.subtitle}</small>}
        </span>
        {isCountShown && <span className={styles.count}>{formatNumber(hostCount)}</span>}
      </div>
      {model.isDense && <DenseCells model={model} row={row} columns={columns} geometry={geometry} />}
      {cells.map((column) => (
        <Cell
          key={column}
          model={model}
          row={row}
          column={column}
          left={headerWidth + column * geometry.columnWidth}
          width={geometry.columnWidth}
          isActive={column === activeColumn}
          isPinned={column === pinnedColumn}
        />
      ))}
    </div>
  );
});

interface CellProps {
  model: MatrixModel;
  row: number;
  column: number;
  left: number;
  width: number;
  isActive: boolean;
  isPinned: boolean;
}

const Cell = memo(function Cell({ model, row, column, left, width, isActive, isPinned }: CellProps) {
  const cell = model.cellAt(row, column);
  const { summary, isPartial } = cell;
  return (
    <div
      role="gridcell"
      tabIndex={isActive ? 0 : -1}
      aria-colindex={column + 2}
      aria-selected={isPinned}
      aria-label={cellName(model, cell)}
      data-row={row}
      data-column={column}
      data-text={model.isDense ? undefined : textOf(summary)}
      className={classNames(styles.cell, styles[summary.depth], isPartial && styles.partial)}
      style={{ left, width }}
    />
  );
});

/** Shown by the style sheet, because the cell has a label in words: "443" above "+1". */
function textOf({ depth, port, more }: TrafficSummary): string | undefined {
  if (depth === "none") return undefined;
  if (depth === "ping") return "·";
  return more > 0 ? `${port}\n+${more}` : port;
}
