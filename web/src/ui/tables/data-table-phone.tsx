/** Rows on phones: name and status on the first line, a summary of the other columns on the second. */
import { memo, type ReactNode } from "react";
import { Link } from "react-router";
import { classNames } from "../base/class-names.ts";
import { roles, SelectCell, type BodyRowProps } from "./data-table-row.tsx";
import styles from "./data-table-phone.module.css";
import type { Column } from "./data-table-props.ts";
import { Skeleton, skeletonWidth } from "../feedback/skeleton.tsx";

interface Places<Row> {
  lead: Column<Row> | undefined;
  beside: readonly Column<Row>[];
  details: readonly Column<Row>[];
  corner: readonly Column<Row>[];
}

function placeColumns<Row>(columns: readonly Column<Row>[], sortedBy: string | undefined): Places<Row> {
  const [lead, ...others] = columns;
  const isSorted = ({ sortKey }: Column<Row>) => sortKey !== undefined && sortKey === sortedBy;
  const named = others.filter(({ hideHeader }) => !hideHeader);
  const hiddenSorted = named.filter((column) => column.phone === "hidden" && isSorted(column));
  return {
    lead,
    corner: others.filter(({ hideHeader }) => hideHeader),
    beside: named.filter(({ phone }) => phone === "beside"),
    // The sorted column comes first, where it isn't cut off.
    details: [...hiddenSorted, ...named.filter(({ phone }) => phone !== "beside" && phone !== "hidden")],
  };
}

function PlainPhoneRow<Row>(props: BodyRowProps<Row>) {
  const { row, columns, link, detail, isSelected, sortedBy } = props;
  const { lead, beside, details, corner } = placeColumns(columns, sortedBy);
  const content = lead?.cell(row);
  return (
    <tr {...roles.row} data-selected={isSelected || undefined} className={styles.row}>
      <SelectCell {...props} className={styles.select} />
      <td {...roles.cell} data-lead="" className={styles.lead}>
        {link === undefined ? (
          content
        ) : (
          <Link to={link} className={styles.link}>
            {content}
          </Link>
        )}
      </td>
      {beside.map((column) => (
        <td key={column.id} {...roles.cell} className={styles.beside}>
          {column.cell(row)}
        </td>
      ))}
      {corner.map((column) => (
        <td key={column.id} {...roles.cell} className={styles.corner}>
          {column.cell(row)}
        </td>
      ))}
      <Details row={row} columns={details} />
      {detail && (
        <td {...roles.cell} className={styles.below}>
          {detail}
        </td>
      )}
    </tr>
  );
}

export const PhoneRow = memo(PlainPhoneRow) as typeof PlainPhoneRow;

interface DetailsProps<Row> {
  row: Row;
  columns: readonly Column<Row>[];
}

function Details<Row>({ row, columns }: DetailsProps<Row>) {
  const items = columns
    .map((column) => ({ id: column.id, content: detailOf(column, row) }))
    .filter(({ content }) => content !== null && content !== undefined && content !== "");
  if (items.length === 0) return null;
  // A column without a phone summary is shown in full, on as many lines as it needs.
  const isSummary = columns.every(({ phone }) => phone !== undefined);
  return (
    <td {...roles.cell} className={classNames(styles.details, isSummary && styles.summary)}>
      {items.map(({ id, content }) => (
        <span key={id} className={styles.detail}>
          {content}
        </span>
      ))}
    </td>
  );
}

function detailOf<Row>(column: Column<Row>, row: Row): ReactNode {
  if (typeof column.phone === "function") return column.phone(row);
  const content = column.cell(row);
  if (content === null || content === undefined || content === false) return null;
  return (
    <>
      <span className={styles.label}>{column.header}</span> {content}
    </>
  );
}

interface PhoneSkeletonRowProps {
  number: number;
  hasSelect: boolean;
  announcement: ReactNode;
}

export function PhoneSkeletonRow({ number, hasSelect, announcement }: PhoneSkeletonRowProps) {
  return (
    <tr {...roles.row} className={styles.row}>
      {hasSelect && <td {...roles.cell} className={styles.select} />}
      <td {...roles.cell} className={styles.lead}>
        <Skeleton width={skeletonWidth(number)} />
        {announcement}
      </td>
      <td {...roles.cell} className={classNames(styles.details, styles.summary)}>
        <Skeleton width={skeletonWidth(number + 1)} />
      </td>
    </tr>
  );
}
