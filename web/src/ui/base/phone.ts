import { useSyncExternalStore } from "react";

/** The breakpoint at which dialogs become sheets; style sheets repeat it. */
const PHONE = "(max-width: 500px)";

export const isPhone = () => window.matchMedia?.(PHONE).matches ?? false;

function subscribe(onChange: () => void) {
  const query = window.matchMedia?.(PHONE);
  query?.addEventListener("change", onChange);
  return () => query?.removeEventListener("change", onChange);
}

/** Whether the screen is as narrow as a phone's. */
export const useIsPhone = (): boolean => useSyncExternalStore(subscribe, isPhone);
