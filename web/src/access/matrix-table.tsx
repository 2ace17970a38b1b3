import { useState } from "react";
import { Link } from "react-router";
import { formatCount } from "../lib/format.ts";
import { VisuallyHidden } from "../ui/base/visually-hidden.tsx";
import { EmptyState } from "../ui/feedback/empty-state.tsx";
import { DataTable, type Column } from "../ui/tables/data-table.tsx";
import { NameCell } from "../ui/text/name-cell.tsx";
import {
  cellName,
  examplePath,
  lineName,
  type MatrixCell,
  type MatrixLine,
  type MatrixModel,
} from "./matrix-model.ts";
import styles from "./matrix-page.module.css";

const PAGE_SIZE = 50;

const detailsOf = ({ subtitle, hostCount }: MatrixLine) =>
  [subtitle, hostCount === undefined ? "Subnet" : formatCount(hostCount, "host")].filter(Boolean).join(" · ");

function LineCell({ line }: { line: MatrixLine | undefined }) {
  return (
    line && (
      <NameCell description={detailsOf(line)}>
        <bdi>{line.title}</bdi>
      </NameCell>
    )
  );
}

/** "team:platform to Web server · tier:critical": what the name of the source on the first line leaves open. */
function directionOf({ rows, columns }: MatrixModel, { row, column }: MatrixCell): string {
  const destination = columns[column];
  return `${rows[row]?.subtitle ?? ""} to ${destination ? lineName(destination) : ""}`.trim();
}

const columnsOf = (model: MatrixModel): Column<MatrixCell>[] => [
  { id: "source", header: "Source", cell: ({ row }) => <LineCell line={model.rows[row]} /> },
  {
    id: "destination",
    header: "Destination",
    cell: ({ column }) => <LineCell line={model.columns[column]} />,
    phone: (cell) => directionOf(model, cell),
  },
  {
    id: "allowed",
    header: "Allowed",
    width: "34%",
    cell: ({ label, isPartial }) => (isPartial ? `${label}, for some hosts` : label),
  },
  { id: "check", header: "Check", hideHeader: true, cell: (cell) => <CheckLink model={model} cell={cell} /> },
];

function CheckLink({ model, cell }: { model: MatrixModel; cell: MatrixCell }) {
  const path = examplePath(model, cell);
  return (
    path && (
      <Link to={path} className={styles.why}>
        Why?<VisuallyHidden> {cellName(model, cell)}</VisuallyHidden>
      </Link>
    )
  );
}

/** The same content as the grid, as text. */
export function MatrixTable({ model, isRefreshing }: { model: MatrixModel; isRefreshing: boolean }) {
  const [chosenStart, setStart] = useState(0);
  const total = model.cells.length;
  const start = chosenStart < total ? chosenStart : 0;
  const rows = model.cells.slice(start, start + PAGE_SIZE);
  const end = start + rows.length;
  return (
    <DataTable
      label="Access"
      columns={columnsOf(model)}
      rows={rows}
      rowKey={({ row, column }) => `${row} ${column}`}
      refreshing={isRefreshing}
      pagination={{
        start,
        count: rows.length,
        total,
        onPrevious: start > 0 ? () => setStart(start - PAGE_SIZE) : undefined,
        onNext: end < total ? () => setStart(end) : undefined,
      }}
      empty={
        <EmptyState title="Everything is denied">No rule allows traffic between these hosts.</EmptyState>
      }
    />
  );
}
