import { Button } from "../controls/button.tsx";
import { Select } from "../forms/field.tsx";
import styles from "./pagination.module.css";

export interface PaginationProps {
  /** The index of the first row in the whole list, from 0. */
  start: number;
  /** The number of rows on this page. */
  count: number;
  /** A string if it isn't exact ("10,000+"). */
  total: number | string;
  /** Undefined if there is no such page. */
  onPrevious?: (() => void) | undefined;
  onNext?: (() => void) | undefined;
  /** The choice of the page size, if there is one. */
  pageSize?: { value: number; choices: readonly number[]; onChange: (size: number) => void } | undefined;
  /** Next is hovered or focused: a good time to prefetch. */
  onNextIntent?: (() => void) | undefined;
}

const format = (value: number | string) => (typeof value === "number" ? value.toLocaleString("en") : value);

export function Pagination(props: PaginationProps) {
  const { start, count, total, onPrevious, onNext, onNextIntent, pageSize } = props;
  // A list that fits on the smallest page needs no pagination. With a larger page size, it stays to change that back.
  const fitting = pageSize ? Math.min(...pageSize.choices) : count;
  if (!onPrevious && !onNext && typeof total === "number" && total <= fitting) return null;
  const range = count === 0 ? "0" : `${format(start + 1)}–${format(start + count)}`;
  return (
    <nav aria-label="Pages" className={styles.pagination}>
      <span>
        {range} of {format(total)}
      </span>
      <span className={styles.buttons}>
        {pageSize && <PageSize {...pageSize} />}
        <Button onClick={onPrevious} disabled={!onPrevious}>
          Previous
        </Button>
        <Button onClick={onNext} onPointerEnter={onNextIntent} onFocus={onNextIntent} disabled={!onNext}>
          Next
        </Button>
      </span>
    </nav>
  );
}

function PageSize({ value, choices, onChange }: NonNullable<PaginationProps["pageSize"]>) {
  return (
    <Select
      aria-label="Rows per page"
      value={value}
      className={styles.size}
      onChange={(event) => onChange(Number(event.currentTarget.value))}
    >
      {choices.map((size) => (
        <option key={size} value={size}>
          {size} per page
        </option>
      ))}
    </Select>
  );
}
