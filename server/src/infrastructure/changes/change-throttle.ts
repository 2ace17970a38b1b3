/**
 * Forwards the first change of a noun and network immediately and merges those that follow within the window into one.
 * A merged change of several objects has no ID.
 */
import type { Change } from "@lightkeeper/contract";

/** Reports of hosts pass two throttles, and still reach a console within a second. */
const WINDOW_MS = 400;

export interface ChangeThrottle<C extends Change> {
  add: (change: C) => void;
  /** Drops pending and later changes. */
  stop: () => void;
}

interface Window<C> {
  timer: NodeJS.Timeout;
  next: C | undefined;
}

export function throttleChanges<C extends Change>(forward: (change: C) => void): ChangeThrottle<C> {
  const windows = new Map<string, Window<C>>();
  let isStopped = false;

  function openWindow(key: string, change: C): void {
    windows.set(key, { timer: setTimeout(() => closeWindow(key), WINDOW_MS), next: undefined });
    forward(change);
  }

  function closeWindow(key: string): void {
    const next = windows.get(key)?.next;
    windows.delete(key);
    if (next) openWindow(key, next);
  }

  function merge(previous: C | undefined, change: C): C {
    if (!previous || previous.id === change.id) return change;
    const { id: _, ...rest } = change;
    return rest as C;
  }

  return {
    add(change) {
      if (isStopped) return;
      const key = `${change.noun} ${change.networkID ?? ""}`;
      const window = windows.get(key);
      if (window) window.next = merge(window.next, change);
      else openWindow(key, change);
    },
    stop() {
      isStopped = true;
      for (const { timer } of windows.values()) clearTimeout(timer);
      windows.clear();
    },
  };
}
