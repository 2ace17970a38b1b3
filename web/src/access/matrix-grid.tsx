import { useMemo, useRef, useState, type CSSProperties, type MouseEvent, type RefObject } from "react";
import { classNames } from "../ui/base/class-names.ts";
import { useIsPhone } from "../ui/base/phone.ts";
import { positionOf, positionUnder } from "./grid-position.ts";
import { lineName, type MatrixLine, type MatrixModel, type MatrixPosition } from "./matrix-model.ts";
import { MatrixRow } from "./matrix-row.tsx";
import styles from "./matrix-grid.module.css";
import { useGridKeys } from "./use-grid-keys.ts";
import { useViewport, useVisibleIndexes, type GridGeometry } from "./use-grid-window.ts";

interface MatrixGridProps {
  model: MatrixModel;
  pinned: MatrixPosition | undefined;
  /** The cell whose row and column are highlighted. */
  shown: MatrixPosition | undefined;
  onPoint: (position: MatrixPosition | undefined) => void;
  onPin: (position: MatrixPosition | undefined) => void;
  onOpen: (position: MatrixPosition) => void;
}

const COLUMN_WIDTH = { min: 32, max: 72 };
const dense: GridGeometry = { rowHeight: 24, columnWidth: 24, headerHeight: 120, headerWidth: 200 };

/** Columns share the width that is left, within limits. */
function geometryOf({ isDense, columns }: MatrixModel, width: number, isPhone: boolean): GridGeometry {
  if (isDense) return dense;
  const headerWidth = isPhone ? 132 : 188;
  const fitting = (width - headerWidth) / Math.max(1, columns.length);
  const columnWidth = Math.min(COLUMN_WIDTH.max, Math.max(COLUMN_WIDTH.min, fitting));
  return { rowHeight: 34, columnWidth, headerHeight: 124, headerWidth };
}

/** Renders only the visible cells: a matrix can have 300 rows and more columns. */
export function MatrixGrid({ model, pinned, shown, onPoint, onPin, onOpen }: MatrixGridProps) {
  const container = useRef<HTMLDivElement>(null);
  const { geometry, rows, columns, keys } = useGrid({ container, model, pinned, onPin, onOpen });
  const find = (event: MouseEvent<HTMLElement>) =>
    positionOf(event.target) ?? (model.isDense ? positionUnder(event, model, geometry) : undefined);
  return (
    <div
      ref={container}
      role="grid"
      tabIndex={-1}
      aria-label="Ports that each row can reach on each column"
      aria-rowcount={model.rows.length + 1}
      aria-colcount={model.columns.length + 1}
      className={classNames(styles.grid, model.isDense && styles.dense)}
      style={{ maxWidth: maxWidthOf(model, geometry) }}
      onKeyDown={keys.onKeyDown}
      onClick={(event) => {
        const position = find(event);
        if (position) keys.select(position);
      }}
      onFocus={({ target }) => {
        const position = positionOf(target);
        if (position) onPoint(position);
      }}
      onPointerOver={(event) => onPoint(find(event))}
      onPointerMove={model.isDense ? (event) => onPoint(find(event)) : undefined}
      onPointerLeave={() => onPoint(undefined)}
    >
      <div role="rowgroup" className={styles.content} style={sizeOf(model, geometry)}>
        <ColumnHeaders model={model} columns={columns} geometry={geometry} highlighted={shown?.column} />
        {rows.map((row) => (
          <MatrixRow
            key={row}
            model={model}
            row={row}
            columns={columns}
            geometry={geometry}
            activeColumn={row === keys.active.row ? keys.active.column : undefined}
            pinnedColumn={row === pinned?.row ? pinned.column : undefined}
            shownColumn={row === shown?.row ? shown.column : undefined}
          />
        ))}
      </div>
    </div>
  );
}

const BORDERS_PX = 2;

/** Columns that can't become wider don't fill the page. */
const maxWidthOf = ({ columns }: MatrixModel, { headerWidth, columnWidth }: GridGeometry) =>
  columnWidth < COLUMN_WIDTH.max ? undefined : headerWidth + columns.length * columnWidth + BORDERS_PX;

const sizeOf = ({ rows, columns }: MatrixModel, geometry: GridGeometry): CSSProperties => ({
  width: geometry.headerWidth + columns.length * geometry.columnWidth,
  height: geometry.headerHeight + rows.length * geometry.rowHeight,
});

interface GridOptions extends Pick<MatrixGridProps, "model" | "pinned" | "onPin" | "onOpen"> {
  container: RefObject<HTMLDivElement | null>;
}

function useGrid({ container, model, pinned, onPin, onOpen }: GridOptions) {
  const [active, setActive] = useState<MatrixPosition>(pinned ?? { row: 0, column: 0 });
  const viewport = useViewport(container);
  const isPhone = useIsPhone();
  const geometry = useMemo(
    () => geometryOf(model, viewport.width, isPhone),
    [model, viewport.width, isPhone],
  );
  const keys = useGridKeys({ container, model, geometry, active, setActive, pinned, onPin, onOpen });
  const rows = useVisibleIndexes({
    scrolled: viewport.top,
    visible: viewport.height - geometry.headerHeight,
    size: geometry.rowHeight,
    count: model.rows.length,
    active: keys.active.row,
  });
  const columns = useVisibleIndexes({
    scrolled: viewport.left,
    visible: viewport.width - geometry.headerWidth,
    size: geometry.columnWidth,
    count: model.columns.length,
    active: keys.active.column,
  });
  return { geometry, rows, columns, keys };
}

interface ColumnHeadersProps {
  model: MatrixModel;
  columns: readonly number[];
  geometry: GridGeometry;
  highlighted: number | undefined;
}

function ColumnHeaders({ model, columns, geometry, highlighted }: ColumnHeadersProps) {
  const { headerHeight, headerWidth, columnWidth } = geometry;
  return (
    <div role="row" aria-rowindex={1} className={styles.headers} style={{ height: headerHeight }}>
      <div role="columnheader" aria-colindex={1} className={styles.corner} style={{ width: headerWidth }}>
        Source ↓ Destination →
      </div>
      {columns.map((column) => {
        const line = model.columns[column];
        return (
          line && (
            <div
              key={column}
              role="columnheader"
              aria-colindex={column + 2}
              title={lineName(line)}
              className={classNames(styles.columnHeader, column === highlighted && styles.highlighted)}
              style={{ left: headerWidth + column * columnWidth, width: columnWidth }}
            >
              <ColumnName line={line} isShort={model.isDense} />
            </div>
          )
        );
      })}
    </div>
  );
}

function ColumnName({ line, isShort }: { line: MatrixLine; isShort: boolean }) {
  return (
    <span className={styles.vertical}>
      <bdi>{line.title}</bdi>
      {line.subtitle && !isShort && <small>{line.subtitle}</small>}
    </span>
  );
}
