/** The network that the person last filtered a list by, kept for this tab and added to the sidebar's links. */
import { useSyncExternalStore } from "react";

const KEY = "filterNetworkId";
const listeners = new Set<() => void>();

export function rememberNetworkFilter(networkID: string | undefined): void {
  if (networkID === (sessionStorage.getItem(KEY) ?? undefined)) return;
  if (networkID === undefined) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, networkID);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useNetworkFilter = (): string | null =>
  useSyncExternalStore(subscribe, () => sessionStorage.getItem(KEY));
