/**
 * The codes made in this tab, for as long as they work: a code is shown once by the server and a new one voids
 * it, so that a reload or a way back must not make another. They never enter an address, and signing out drops
 * them with the rest of the session.
 */
import { useSyncExternalStore } from "react";

export interface KeptCode {
  code: string;
  /** In milliseconds since 1970. */
  expiresAt: number;
  /** When the host had last enrolled as the code was made: once that changes, the code has been used. */
  enrolledBefore: string | null;
}

const listeners = new Set<() => void>();
const keyOf = (hostID: string) => `enrollment code ${hostID}`;

function tell(): void {
  for (const listener of listeners) listener();
}

export function keepCode(hostID: string, kept: KeptCode): void {
  sessionStorage.setItem(keyOf(hostID), JSON.stringify(kept));
  tell();
}

export function dropCode(hostID: string): void {
  sessionStorage.removeItem(keyOf(hostID));
  tell();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The host's code, expired or not: whoever shows it says so. */
export function useKeptCode(hostID: string): KeptCode | undefined {
  const text = useSyncExternalStore(subscribe, () => sessionStorage.getItem(keyOf(hostID)));
  return text === null ? undefined : (JSON.parse(text) as KeptCode);
}
