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
  /** The content of a row, beside its handle. */
  children: (item: Item) => ReactNode;
}

/** Rows that can be reordered by dragging their handles, or with the keyboard. */
export function ReorderList<Item>({ label, className, children, ...options }: ReorderListProps<Item>) {
  const { items, keyOf, nameOf } = options;
  const { list, order, liftedKey, announcement, handleProps } = useReorder(options);
  const id = useId();
  return (
    <>
      <VisuallyHidden>
        <span id={id}>Press Space to pick up, arrow keys to move, Space to drop, Escape to cancel.</span>
      </VisuallyHidden>
      <Announcement>{announcement}</Announcement>
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
