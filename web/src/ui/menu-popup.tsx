import { Menu, MenuItem, MenuItemCheckbox, MenuSeparator, type MenuStore } from "@ariakit/react/menu";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { classNames } from "./class-names.ts";
import { CheckIcon } from "./icons.tsx";
import styles from "./menu-popup.module.css";
import { popoverOverflowPaddingPx } from "./popover.ts";

interface MenuItemLook {
  label: string;
  icon?: ReactNode;
  danger?: boolean | undefined;
  disabled?: boolean | undefined;
}

export type MenuEntry =
  | (MenuItemLook & {
      onSelect: () => void;
      /** Something that is on or off; the menu stays open. */
      checked?: boolean | undefined;
    })
  | (MenuItemLook & { to: string })
  | { text: string }
  | "separator";

export default function MenuPopup({ store, items }: { store: MenuStore; items: readonly MenuEntry[] }) {
  return (
    <Menu
      store={store}
      className={styles.menu}
      gutter={4}
      overflowPadding={popoverOverflowPaddingPx}
      fixed
      fitViewport
    >
      {items.map((entry, index) => (
        <Entry key={keyOf(entry) ?? `after ${keyOf(items[index - 1])}`} entry={entry} />
      ))}
    </Menu>
  );
}

function Entry({ entry }: { entry: MenuEntry }) {
  if (entry === "separator") return <MenuSeparator className={styles.separator} />;
  if ("text" in entry) return <div className={styles.text}>{entry.text}</div>;
  const { label, icon, danger, disabled } = entry;
  if ("onSelect" in entry && entry.checked !== undefined)
    return <CheckEntry {...entry} checked={entry.checked} />;
  const action = "to" in entry ? { render: <Link to={entry.to} /> } : { onClick: entry.onSelect };
  return (
    <MenuItem
      {...action}
      {...(disabled && { disabled: true })}
      className={classNames(styles.item, danger && styles.danger)}
    >
      {icon}
      {label}
    </MenuItem>
  );
}

interface CheckEntryProps {
  label: string;
  checked: boolean;
  onSelect: () => void;
}

function CheckEntry({ label, checked, onSelect }: CheckEntryProps) {
  return (
    <MenuItemCheckbox
      name={label}
      checked={checked}
      hideOnClick={false}
      onChange={onSelect}
      className={styles.item}
    >
      <CheckIcon className={classNames(!checked && styles.unchecked)} />
      {label}
    </MenuItemCheckbox>
  );
}

function keyOf(entry: MenuEntry | undefined) {
  if (entry === undefined || entry === "separator") return undefined;
  return "text" in entry ? entry.text : entry.label;
}
