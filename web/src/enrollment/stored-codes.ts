/**
 * Keeps enrollment codes in the session storage: the server shows a code once and a new code revokes it, so a reload
 * must not create another. Codes are never in a URL, and logging out removes them.
 */
import { useSyncExternalStore } from "react";

export interface StoredCode {
  code: string;
  /** In milliseconds since 1970. */
  expiresAt: number;
  /** The last enrollment when the code was created: once it differs, the code has been used. */
  enrolledBefore: string | null;
}

const listeners = new Set<() => void>();
const keyOf = (hostID: string) => `enrollment code ${hostID}`;

function notify(): void {
  for (const listener of listeners) listener();
}

export function storeCode(hostID: string, storedCode: StoredCode): void {
  sessionStorage.setItem(keyOf(hostID), JSON.stringify(storedCode));
  notify();
}

export function removeCode(hostID: string): void {
  sessionStorage.removeItem(keyOf(hostID));
  notify();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The host's code, which may have expired. */
export function useStoredCode(hostID: string): StoredCode | undefined {
  const text = useSyncExternalStore(subscribe, () => sessionStorage.getItem(keyOf(hostID)));
  return text === null ? undefined : (JSON.parse(text) as StoredCode);
}
