import { MenuButton, useMenuStore } from "@ariakit/react/menu";
import { useStoreState } from "@ariakit/react/store";
import { lazy, Suspense, type ReactElement } from "react";
import type { MenuEntry } from "./menu-popup.tsx";

const menuTimeoutMs = 150;

export interface MenuProps {
  /** The button that opens the menu; it also names it. */
  trigger: ReactElement;
  items: readonly MenuEntry[];
  placement?: "bottom-start" | "bottom-end" | "top-start" | "top-end" | "right-start" | undefined;
  showOnHover?: boolean | undefined;
}

// The button is light and loads with the page; the popup loads when the button is first pointed at or focused.
const loadPopup = () => import("./menu-popup.tsx");
const MenuPopup = lazy(loadPopup);

export function Menu({ trigger, items, placement = "bottom-end", showOnHover = false }: MenuProps) {
  const store = useMenuStore({ timeout: menuTimeoutMs, placement });
  const mounted = useStoreState(store, "mounted");
  const preload = () => void loadPopup().catch(() => undefined);
  return (
    <>
      <MenuButton
        store={store}
        render={trigger}
        showOnHover={showOnHover}
        onPointerEnter={preload}
        onFocus={preload}
      />
      {mounted && (
        <Suspense>
          <MenuPopup store={store} items={items} />
        </Suspense>
      )}
    </>
  );
}
