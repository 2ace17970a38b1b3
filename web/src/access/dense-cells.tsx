import { memo } from "react";
import type { MatrixModel } from "./matrix-model.ts";
import styles from "./matrix-grid.module.css";
import type { GridGeometry } from "./use-grid-window.ts";

interface DenseCellsProps {
  model: MatrixModel;
  row: number;
  /** The columns to draw. */
  columns: readonly number[];
  geometry: GridGeometry;
}

const looks = ["ping", "one", "several", "any", "partial"] as const;
type Look = (typeof looks)[number];

const CORNER_PX = 6;

/** One path for each look: hundreds of elements would make scrolling slow. */
function pathsOf({ model, row, columns, geometry }: DenseCellsProps): Record<Look, string> {
  const paths = { ping: "", one: "", several: "", any: "", partial: "" };
  // Beside and below each cell is a line.
  const [width, height] = [geometry.columnWidth - 1, geometry.rowHeight - 1];
  for (const column of columns) {
    const { summary, isPartial } = model.cellAt(row, column);
    const left = column * geometry.columnWidth;
    if (summary.depth !== "none") paths[summary.depth] += `M${left} 0h${width}v${height}h${-width}z`;
    if (isPartial) paths.partial += `M${left + width} 0v${CORNER_PX}l${-CORNER_PX} ${-CORNER_PX}z`;
  }
  return paths;
}

/** The colors of a row's cells, without elements for the cells. */
export const DenseCells = memo(function DenseCells(props: DenseCellsProps) {
  const { model, geometry } = props;
  const paths = pathsOf(props);
  return (
    <svg
      aria-hidden="true"
      className={styles.denseCells}
      style={{ left: geometry.headerWidth }}
      width={model.columns.length * geometry.columnWidth}
      height={geometry.rowHeight - 1}
    >
      {looks.map((look) => paths[look] && <path key={look} className={styles[look]} d={paths[look]} />)}
    </svg>
  );
});
