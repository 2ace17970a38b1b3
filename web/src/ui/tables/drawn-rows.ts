/** The rows on the screen are rendered first; new rows below follow a moment later. */
import { useDeferredValue } from "react";
import type { DataTableProps } from "./data-table-props.ts";

/** The height of a row in pixels; rows on phones are higher. Keep in sync with the style sheet. */
export const ROW_HEIGHT = 44;
/** The header and the title of the page, at least. */
const HEIGHT_ABOVE_ROWS = 200;

const countRowsOnScreen = () => Math.max(1, Math.ceil((innerHeight - HEIGHT_ABOVE_ROWS) / ROW_HEIGHT));

export function useDrawnRows<Row>(
  rows: readonly Row[],
  { rowKey, isLoadedLate }: Pick<DataTableProps<Row>, "rowKey" | "isLoadedLate">,
) {
  const settled = useDeferredValue(rows, isLoadedLate ? [] : rows);
  if (settled === rows) return { drawn: rows, isFirst: false };
  const known = new Set(settled.map(rowKey));
  const onScreen = countRowsOnScreen();
  const drawn = rows.filter((row, place) => place < onScreen || known.has(rowKey(row)));
  return { drawn, isFirst: settled.length === 0 && drawn.length < rows.length };
}
