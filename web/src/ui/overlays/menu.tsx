import { cloneElement, lazy, Suspense, useId, useState } from "react";
import type { ComponentProps, KeyboardEvent, MouseEvent, ReactElement } from "react";
import type { MenuEntry, MenuPopupProps } from "./menu-popup.tsx";
import { useReadOnly } from "../base/read-only.ts";
import { useTimer } from "../base/timer.ts";

const menuTimeoutMs = 150;

export interface MenuProps {
  /** The button that opens the menu, and its accessible name. */
  trigger: ReactElement<ComponentProps<"button">>;
  items: readonly MenuEntry[];
  placement?: MenuPopupProps["placement"] | undefined;
  showOnHover?: boolean | undefined;
}

// A page may have a hundred menus, so each is only a button until it is opened. The popup loads when the button is
// first hovered or focused.
const loadPopup = () => import("./menu-popup.tsx");
const MenuPopup = lazy(loadPopup);
const preload = () => void loadPopup().catch(() => undefined);

const focusByKey: Readonly<Record<string, "first" | "last">> = { ArrowDown: "first", ArrowUp: "last" };

const isItem = (entry: MenuEntry) => entry !== "separator" && !("text" in entry);

/** The items that an auditor can use, without separators at the ends; empty if there are none. */
function withoutWrites(items: readonly MenuEntry[]): readonly MenuEntry[] {
  const left = items.filter((entry) => !(typeof entry === "object" && "writes" in entry && entry.writes));
  const [first, last] = [left.findIndex(isItem), left.findLastIndex(isItem)];
  return first < 0 ? [] : left.slice(first, last + 1);
}

/** Renders nothing if there are no items. */
export function Menu(props: MenuProps) {
  const items = useReadOnly() ? withoutWrites(props.items) : props.items;
  return items.length === 0 ? null : <OpenableMenu {...props} items={items} />;
}

interface Opened extends Pick<MenuPopupProps, "button" | "initialFocus"> {
  times: number;
}

function OpenableMenu({ trigger, items, placement = "bottom-end", showOnHover = false }: MenuProps) {
  const id = useId();
  const { isOpen, setOpen, opened, handlers } = useOpening(showOnHover);
  // Ariakit hides a popup again two frames after Escape. A popup per opening keeps that from closing the next one.
  return (
    <>
      {cloneElement(trigger, {
        id,
        "aria-haspopup": "menu",
        "aria-expanded": isOpen,
        ...handlers,
      })}
      {opened && (
        <Suspense>
          <MenuPopup
            key={opened.times}
            button={opened.button}
            initialFocus={opened.initialFocus}
            open={isOpen}
            onOpenChange={setOpen}
            hideTimeoutMs={menuTimeoutMs}
            placement={placement}
            items={items}
          />
        </Suspense>
      )}
    </>
  );
}

function useOpening(showOnHover: boolean) {
  const [isOpen, setOpen] = useState(false);
  const [opened, setOpened] = useState<Opened>();
  const hover = useTimer();
  function open(button: HTMLElement, initialFocus: MenuPopupProps["initialFocus"]) {
    hover.clear();
    setOpened((before) => ({ button, initialFocus, times: (before?.times ?? 0) + (isOpen ? 0 : 1) }));
    setOpen(true);
  }
  function toggle({ currentTarget, detail }: MouseEvent<HTMLElement>) {
    // A click by keyboard has a click count of 0.
    if (isOpen) setOpen(false);
    else open(currentTarget, detail === 0 ? "first" : "container");
  }
  function openByKey(event: KeyboardEvent<HTMLElement>) {
    const initialFocus = focusByKey[event.key];
    if (!initialFocus) return;
    event.preventDefault();
    open(event.currentTarget, initialFocus);
  }
  function preloadOrOpen({ currentTarget }: MouseEvent<HTMLElement>) {
    preload();
    if (showOnHover) hover.start(() => open(currentTarget, undefined), menuTimeoutMs);
  }
  const handlers = {
    onClick: toggle,
    onKeyDown: openByKey,
    onMouseEnter: preloadOrOpen,
    onMouseLeave: hover.clear,
    onFocus: preload,
  };
  return { isOpen, setOpen, opened, handlers };
}
