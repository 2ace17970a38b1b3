import { useEffect, useRef, type KeyboardEvent, type RefObject } from "react";
import type { MatrixModel, MatrixPosition } from "./matrix-model.ts";
import type { GridGeometry } from "./use-grid-window.ts";

interface GridKeysOptions {
  container: RefObject<HTMLDivElement | null>;
  model: MatrixModel;
  geometry: GridGeometry;
  active: MatrixPosition;
  setActive: (position: MatrixPosition) => void;
  pinned: MatrixPosition | undefined;
  onPin: (position: MatrixPosition | undefined) => void;
  onOpen: (position: MatrixPosition) => void;
}

const PAGE_ROWS = 10;

type Size = Record<keyof MatrixPosition, number>;

const moves: Readonly<Record<string, (at: MatrixPosition, size: Size) => MatrixPosition>> = {
  ArrowUp: ({ row, column }) => ({ row: row - 1, column }),
  ArrowDown: ({ row, column }) => ({ row: row + 1, column }),
  ArrowLeft: ({ row, column }) => ({ row, column: column - 1 }),
  ArrowRight: ({ row, column }) => ({ row, column: column + 1 }),
  PageUp: ({ row, column }) => ({ row: row - PAGE_ROWS, column }),
  PageDown: ({ row, column }) => ({ row: row + PAGE_ROWS, column }),
  Home: ({ row }) => ({ row, column: 0 }),
  End: ({ row }, { column }) => ({ row, column: column - 1 }),
  "Control+Home": () => ({ row: 0, column: 0 }),
  "Control+End": (_, { row, column }) => ({ row: row - 1, column: column - 1 }),
};

const limit = (index: number, count: number) => Math.max(0, Math.min(index, count - 1));

const limitTo = ({ row, column }: MatrixPosition, size: Size): MatrixPosition => ({
  row: limit(row, size.row),
  column: limit(column, size.column),
});

/** Scrolls so that the headers, which stay in place, don't cover the cell. */
function reveal(element: HTMLElement, geometry: GridGeometry, { row, column }: MatrixPosition): void {
  const { rowHeight, columnWidth, headerHeight, headerWidth } = geometry;
  const visibleHeight = element.clientHeight - headerHeight;
  const visibleWidth = element.clientWidth - headerWidth;
  const [top, left] = [row * rowHeight, column * columnWidth];
  if (top < element.scrollTop) element.scrollTop = top;
  else if (top + rowHeight > element.scrollTop + visibleHeight)
    element.scrollTop = top + rowHeight - visibleHeight;
  if (left < element.scrollLeft) element.scrollLeft = left;
  else if (left + columnWidth > element.scrollLeft + visibleWidth)
    element.scrollLeft = left + columnWidth - visibleWidth;
}

/** One cell can be reached with Tab; arrow keys move to the others. */
export function useGridKeys(options: GridKeysOptions) {
  const { container, model, geometry, setActive, pinned, onPin, onOpen } = options;
  const size: Size = { row: model.rows.length, column: model.columns.length };
  const active = limitTo(options.active, size);
  const { row, column } = active;
  const mustFocus = useRef(false);

  useEffect(() => {
    if (!mustFocus.current) return;
    mustFocus.current = false;
    container.current
      ?.querySelector<HTMLElement>(`[data-row="${row}"][data-column="${column}"]`)
      ?.focus({ preventScroll: true });
  }, [container, row, column]);

  function moveTo(position: MatrixPosition) {
    const next = limitTo(position, size);
    mustFocus.current = true;
    setActive(next);
    if (container.current) reveal(container.current, geometry, next);
  }
  function select(position: MatrixPosition) {
    setActive(position);
    const isPinned = pinned?.row === position.row && pinned.column === position.column;
    onPin(isPinned ? undefined : position);
  }
  const actions: Readonly<Record<string, () => void>> = {
    Enter: () => onOpen(active),
    " ": () => select(active),
    ...(pinned && { Escape: () => onPin(undefined) }),
  };
  function onKeyDown(event: KeyboardEvent) {
    if (event.altKey || event.metaKey || event.shiftKey) return;
    const move = moves[event.ctrlKey ? `Control+${event.key}` : event.key];
    const action = event.ctrlKey ? undefined : actions[event.key];
    if (!move && !action) return;
    event.preventDefault();
    if (move) moveTo(move(active, size));
    else action?.();
  }
  return { active, select, onKeyDown };
}
