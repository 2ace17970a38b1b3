import { useSyncExternalStore } from "react";

/** The breakpoint at which dialogs become sheets. Keep in sync with the style sheets. */
const PHONE = "(max-width: 500px)";

export const isPhone = () => window.matchMedia?.(PHONE).matches ?? false;

function subscribe(onChange: () => void) {
  const query = window.matchMedia?.(PHONE);
  query?.addEventListener("change", onChange);
  return () => query?.removeEventListener("change", onChange);
}

/** Whether the screen is as narrow as on a phone. */
export const useIsPhone = (): boolean => useSyncExternalStore(subscribe, isPhone);
