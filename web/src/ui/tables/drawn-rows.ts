/** The rows on the screen are rendered first; new rows below follow a moment later, some at a time. */
import { startTransition, useEffect, useState } from "react";
import { startTimer } from "../base/timer.ts";
import type { DataTableProps } from "./data-table-props.ts";

/** The height of a row in pixels; rows on phones are higher. Keep in sync with the style sheet. */
export const ROW_HEIGHT = 44;
/** The header and the title of the page, at least. */
const HEIGHT_ABOVE_ROWS = 200;

/** A step blocks the page while the browser lays out its rows. */
const ROWS_PER_STEP = 10;
/** Someone who types the next letter within this time waits for no rows below the screen. */
const FIRST_WAIT_MS = 100;
/** A frame, in which the page can scroll or show what was typed. */
const NEXT_WAIT_MS = 16;

const countRowsOnScreen = () => Math.max(1, Math.ceil((innerHeight - HEIGHT_ABOVE_ROWS) / ROW_HEIGHT));

export function useDrawnRows<Row>(
  rows: readonly Row[],
  { rowKey, isLoadedLate }: Pick<DataTableProps<Row>, "rowKey" | "isLoadedLate">,
) {
  const [{ settled, target, wasComplete }, setState] = useState({
    settled: isLoadedLate ? [] : rows,
    /** The rows of the steps so far. */
    target: undefined as readonly Row[] | undefined,
    wasComplete: !isLoadedLate,
  });
  useEffect(() => {
    if (settled === rows) return undefined;
    const takeStep = () => {
      const next = nextStep(rows, settled, rowKey);
      startTransition(() =>
        setState({ settled: next, target: rows, wasComplete: wasComplete || next === rows }),
      );
    };
    return startTimer(takeStep, target === rows ? NEXT_WAIT_MS : FIRST_WAIT_MS).clear;
  }, [rows, settled, target, wasComplete, rowKey]);
  if (settled === rows) return { drawn: rows, isFirst: false };
  const drawn = drawnOf(rows, settled, rowKey);
  return { drawn, isFirst: !wasComplete && drawn.length < rows.length };
}

type RowKey<Row> = DataTableProps<Row>["rowKey"];

function drawnOf<Row>(rows: readonly Row[], settled: readonly Row[], rowKey: RowKey<Row>) {
  const known = new Set(settled.map(rowKey));
  const onScreen = countRowsOnScreen();
  return rows.filter((row, place) => place < onScreen || known.has(rowKey(row)));
}

function nextStep<Row>(rows: readonly Row[], settled: readonly Row[], rowKey: RowKey<Row>) {
  const drawn = new Set(drawnOf(rows, settled, rowKey));
  const missing = rows.filter((row) => !drawn.has(row));
  if (missing.length <= ROWS_PER_STEP) return rows;
  const added = new Set(missing.slice(0, ROWS_PER_STEP));
  return rows.filter((row) => drawn.has(row) || added.has(row));
}
