import type { ComboboxStore } from "@ariakit/react/combobox";
import type { KeyboardEvent } from "react";

/**
 * Handles Enter while no option is active: chooses the first one, which is about to become active. If there is none yet,
 * Enter does nothing. Without this, Enter would also keep later options from becoming active.
 */
export const clickFirstOnEnter = (store: ComboboxStore) => (event: KeyboardEvent) => {
  const { open, activeId, inputValue } = store.getState();
  if (event.key !== "Enter" || !open || inputValue === "" || store.item(activeId)) return;
  event.preventDefault();
  event.stopPropagation();
  store.item(store.first())?.element?.click();
};
