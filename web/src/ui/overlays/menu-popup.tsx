import { Menu, MenuItem, MenuItemCheckbox, MenuSeparator, useMenuStore } from "@ariakit/react/menu";
import { useStoreState } from "@ariakit/react/store";
import { useLayoutEffect, type ReactNode } from "react";
import { Link } from "react-router";
import { classNames } from "../base/class-names.ts";
import { CheckIcon } from "../base/icons.tsx";
import styles from "./menu-popup.module.css";
import { popoverOverflowPaddingPx } from "../base/popover.ts";

interface MenuItemLook {
  label: string;
  icon?: ReactNode;
  danger?: boolean | undefined;
  disabled?: boolean | undefined;
  /** Changes something: hidden from auditors. */
  writes?: boolean | undefined;
}

export type MenuEntry =
  | (MenuItemLook & {
      onSelect: () => void;
      /** A checkbox item; the menu stays open. */
      checked?: boolean | undefined;
    })
  | (MenuItemLook & { to: string })
  | { text: string }
  | "separator";

export interface MenuPopupProps {
  button: HTMLElement;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Undefined if the menu opened on hover. */
  initialFocus: "first" | "last" | "container" | undefined;
  hideTimeoutMs: number;
  placement: "bottom-start" | "bottom-end" | "top-start" | "top-end" | "right-start";
  items: readonly MenuEntry[];
}

export default function MenuPopup(props: MenuPopupProps) {
  const { button, open, onOpenChange, initialFocus, hideTimeoutMs, placement, items } = props;
  const store = useMenuStore({ open, setOpen: onOpenChange, timeout: hideTimeoutMs, placement });
  const mounted = useStoreState(store, "mounted");
  useLayoutEffect(() => {
    if (!open) return;
    store.setDisclosureElement(button);
    store.setAnchorElement(button);
    store.setAutoFocusOnShow(initialFocus !== undefined);
    store.setInitialFocus(initialFocus ?? "container");
  }, [store, open, button, initialFocus]);
  if (!mounted) return null;
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
