import { useId, type ReactNode } from "react";
import { classNames } from "../base/class-names.ts";
import { GripIcon } from "../base/icons.tsx";
import { useReorder, type ReorderOptions } from "./reorder.ts";
import styles from "./reorder-list.module.css";
import { Announcement, VisuallyHidden } from "../base/visually-hidden.tsx";

export interface ReorderListProps<Item> extends ReorderOptions<Item> {
  /** The list's accessible name. */
  label: string;
  className?: string | undefined;
  /** A row, beside the handle it is moved by. */
  children: (item: Item) => ReactNode;
}

/** Rows that can be put into another order: dragged by their handles, or lifted, moved and dropped by keyboard. */
export function ReorderList<Item>({ label, className, children, ...options }: ReorderListProps<Item>) {
  const { items, keyOf, nameOf } = options;
  const { list, order, liftedKey, said, handleProps } = useReorder(options);
  const id = useId();
  return (
    <>
      <VisuallyHidden>
        <span id={id}>Space lifts it, the arrow keys move it, Space drops it, Escape puts it back.</span>
      </VisuallyHidden>
      <Announcement>{said}</Announcement>
      <ol ref={list} aria-label={label} className={classNames(styles.list, className)}>
        {order.map((item) => {
          const isLifted = keyOf(item) === liftedKey;
          return (
            <li key={keyOf(item)} className={classNames(styles.row, isLifted && styles.lifted)}>
              <button
                type="button"
                aria-label={`Move ${nameOf(item)}`}
                aria-describedby={id}
                aria-pressed={isLifted}
                className={styles.handle}
                {...handleProps(items.indexOf(item))}
              >
                <GripIcon />
              </button>
              {children(item)}
            </li>
          );
        })}
      </ol>
    </>
  );
}
