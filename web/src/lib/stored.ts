/** Preferences kept in local storage and shared by all components that show them. */
import { useSyncExternalStore } from "react";

interface Stored<Value> {
  read: () => Value;
  write: (value: Value | undefined) => void;
  subscribe: (listener: () => void) => () => void;
}

const listeners = new Set<() => void>();

/** `parse` returns undefined for invalid values, which an earlier version may have written. */
export function stored<Value>(
  key: string,
  initial: Value,
  parse: (json: unknown) => Value | undefined,
): Stored<Value> {
  let text: string | null = null;
  let value = initial;
  function read(): Value {
    const latest = localStorage.getItem(key);
    if (latest !== text) {
      text = latest;
      value = (latest === null ? undefined : parse(fromJson(latest))) ?? initial;
    }
    return value;
  }
  function write(next: Value | undefined) {
    if (next === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(next));
    for (const listener of listeners) listener();
  }
  function subscribe(listener: () => void) {
    listeners.add(listener);
    window.addEventListener("storage", listener);
    return () => {
      listeners.delete(listener);
      window.removeEventListener("storage", listener);
    };
  }
  return { read, write, subscribe };
}

/** Removes all preferences. */
export function clearStored(): void {
  localStorage.clear();
  for (const listener of listeners) listener();
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function useStored<Value>({ read, write, subscribe }: Stored<Value>) {
  return [useSyncExternalStore(subscribe, read), write] as const;
}
