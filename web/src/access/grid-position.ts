import type { MouseEvent } from "react";
import type { MatrixModel, MatrixPosition } from "./matrix-model.ts";
import type { GridGeometry } from "./use-grid-window.ts";

/** The position in the data attributes of a cell. */
export function positionOf(target: EventTarget): MatrixPosition | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>("[role=gridcell]") : null;
  return cell ? { row: Number(cell.dataset.row), column: Number(cell.dataset.column) } : undefined;
}

/** The position of the pointer; most cells of a dense grid have no element. */
export function positionUnder(
  { currentTarget: grid, clientX, clientY }: MouseEvent<HTMLElement>,
  { rows, columns }: MatrixModel,
  { headerWidth, headerHeight, columnWidth, rowHeight }: GridGeometry,
): MatrixPosition | undefined {
  const { left, top } = grid.getBoundingClientRect();
  const x = clientX - left - grid.clientLeft - headerWidth;
  const y = clientY - top - grid.clientTop - headerHeight;
  if (x < 0 || y < 0) return undefined;
  const column = Math.floor((x + grid.scrollLeft) / columnWidth);
  const row = Math.floor((y + grid.scrollTop) / rowHeight);
  return row < rows.length && column < columns.length ? { row, column } : undefined;
}
