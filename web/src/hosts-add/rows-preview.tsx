import { formatCount, formatNumber } from "../lib/format.ts";
import { TagLine } from "../references/tag-chips.tsx";
import { DataTable, type Column } from "../ui/tables/data-table.tsx";
import { Status } from "../ui/feedback/status.tsx";
import type { CheckedRow } from "./host-rows.ts";
import styles from "./hosts-add.module.css";

const SHOWN_MAX = 100;

const columns: Column<CheckedRow>[] = [
  {
    id: "name",
    header: "Name",
    width: "30%",
    cell: ({ number, name }) => (
      <span className={styles.rowName}>
        <span className={styles.number}>{number}</span> <bdi>{name || "—"}</bdi>
      </span>
    ),
  },
  { id: "role", header: "Role", cell: ({ role }) => role || "—" },
  {
    id: "tags",
    header: "Tags",
    width: "25%",
    cell: ({ tags }) => (tags.length > 0 ? <TagLine tags={tags} links={false} /> : "—"),
  },
  {
    id: "address",
    header: "Address",
    cell: ({ address }) => (address ? <code>{address}</code> : "Lowest free"),
  },
  {
    id: "state",
    header: "State",
    cell: ({ faults }) =>
      faults.length > 0 ? (
        <span className={styles.faults}>
          <Status tone="bad">{faults.join("; ")}</Status>
        </span>
      ) : (
        <Status tone="new">To be added</Status>
      ),
  },
];

/** The rows as they were understood, the faulty ones first. */
export function RowsPreview({ rows }: { rows: readonly CheckedRow[] }) {
  const isFaulty = ({ faults }: CheckedRow) => faults.length > 0;
  const faulty = rows.filter(isFaulty);
  const shown = [...faulty, ...rows.filter((row) => !isFaulty(row))].slice(0, SHOWN_MAX);
  return (
    <section aria-label="Preview">
      <p className={styles.summary} role="status">
        {formatCount(rows.length, "host")}
        {faulty.length > 0 && `, ${formatCount(faulty.length, "row has a fault", "rows have faults")}`}
        {rows.length > shown.length && `; the first ${formatNumber(shown.length)} are shown`}
      </p>
      <DataTable
        label="Preview"
        columns={columns}
        rows={shown}
        rowKey={({ number }) => String(number)}
        empty={null}
      />
    </section>
  );
}
