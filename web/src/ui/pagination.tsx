import { Button } from "./button.tsx";
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
  /** Somebody points at Next, or has focus on it: a good moment to fetch. */
  onNextIntent?: (() => void) | undefined;
}

const inWords = (value: number | string) => (typeof value === "number" ? value.toLocaleString("en") : value);

export function Pagination({ start, count, total, onPrevious, onNext, onNextIntent }: PaginationProps) {
  const range = count === 0 ? "0" : `${inWords(start + 1)}–${inWords(start + count)}`;
  return (
    <nav aria-label="Pages" className={styles.pagination}>
      <span>
        {range} of {inWords(total)}
      </span>
      <span className={styles.buttons}>
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
