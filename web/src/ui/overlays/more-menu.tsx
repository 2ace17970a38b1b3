import { classNames } from "../base/class-names.ts";
import type { MenuEntry } from "./menu-popup.tsx";
import { Menu } from "./menu.tsx";
import styles from "./more-menu.module.css";

interface MoreMenuProps {
  count: number;
  /** The plural noun of the hidden items: "tags". */
  noun: string;
  items: readonly MenuEntry[];
  className?: string | undefined;
}

/** "+n" after the visible items; opens a menu with the hidden ones. */
export function MoreMenu({ count, noun, items, className }: MoreMenuProps) {
  return (
    <Menu
      placement="bottom-start"
      trigger={
        <button
          type="button"
          aria-label={`+${count} more ${noun}`}
          className={classNames(styles.more, className)}
        >
          +{count}
        </button>
      }
      items={items}
    />
  );
}
