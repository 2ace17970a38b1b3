import { Button } from "../controls/button.tsx";
import { Select } from "../forms/field.tsx";
import styles from "./pagination.module.css";

export interface PaginationProps {
  /** The first row's place in the whole list, counted from 0. */
  start: number;
  /** How many rows this page shows. */
  count: number;
  /** A string for what is not exact ("10,000+"). */
  total: number | string;
  /** Left out where there is no such page. */
  onPrevious?: (() => void) | undefined;
  onNext?: (() => void) | undefined;
  /** How many rows a page may have, where that can be chosen. */
  pageSize?: { value: number; choices: readonly number[]; onChange: (size: number) => void } | undefined;
  /** Somebody points at Next, or has focus on it: a good moment to fetch. */
  onNextIntent?: (() => void) | undefined;
}

const inWords = (value: number | string) => (typeof value === "number" ? value.toLocaleString("en") : value);

export function Pagination(props: PaginationProps) {
  const { start, count, total, onPrevious, onNext, onNextIntent, pageSize } = props;
  // Rows that fit on one page at every size need none; a larger size that was chosen can be taken back.
  const fitting = pageSize ? Math.min(...pageSize.choices) : count;
  if (!onPrevious && !onNext && typeof total === "number" && total <= fitting) return null;
  const range = count === 0 ? "0" : `${inWords(start + 1)}–${inWords(start + count)}`;
  return (
    <nav aria-label="Pages" className={styles.pagination}>
      <span>
        {range} of {inWords(total)}
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
