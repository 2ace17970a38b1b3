import { formatCount, formatNumber } from "../lib/format.ts";
import { TagLine } from "../references/tag-chips.tsx";
import { DataTable, type Column } from "../ui/tables/data-table.tsx";
import { Status } from "../ui/feedback/status.tsx";
import { addressesOf, type ValidatedRow } from "./host-rows.ts";
import styles from "./hosts-add.module.css";

const SHOWN_ROWS_MAX = 100;

const columns: Column<ValidatedRow>[] = [
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
    cell: (row) => <Addresses addresses={addressesOf(row)} />,
  },
  {
    id: "state",
    header: "Status",
    cell: ({ problems }) =>
      problems.length > 0 ? (
        <span className={styles.problems}>
          <Status tone="bad">{problems.join(" ")}</Status>
        </span>
      ) : (
        <Status tone="new">Ready</Status>
      ),
  },
];

const Addresses = ({ addresses }: { addresses: readonly string[] }) =>
  addresses.length === 0 ? (
    "Next free"
  ) : (
    <span className={styles.addresses}>
      {addresses.map((address) => (
        <code key={address}>{address}</code>
      ))}
    </span>
  );

/** The rows as they were understood, invalid ones first. */
export function RowsPreview({ rows }: { rows: readonly ValidatedRow[] }) {
  const hasProblems = ({ problems }: ValidatedRow) => problems.length > 0;
  const invalidRows = rows.filter(hasProblems);
  const shown = [...invalidRows, ...rows.filter((row) => !hasProblems(row))].slice(0, SHOWN_ROWS_MAX);
  return (
    <section aria-label="Preview">
      <p className={styles.summary} role="status">
        {formatCount(rows.length, "host")}
        {invalidRows.length > 0 && `, ${formatCount(invalidRows.length, "row needs", "rows need")} fixing`}
        {rows.length > shown.length && `. Showing the first ${formatNumber(shown.length)}.`}
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
