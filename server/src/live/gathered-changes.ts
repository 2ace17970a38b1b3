/**
 * Passes changes on, of one noun and network at most one a second: the first at once, and what comes within the
 * second after it as one, which of several things names only where they are.
 */
import type { Change } from "@lightkeeper/contract";

const SECOND_MS = 1000;

export interface GatheredChanges<Told extends Change> {
  add: (change: Told) => void;
  /** Whatever has not been passed on by now is dropped, and so is what still comes. */
  stop: () => void;
}

interface Second<Told> {
  timer: NodeJS.Timeout;
  next: Told | undefined;
}

export function gatherChanges<Told extends Change>(pass: (change: Told) => void): GatheredChanges<Told> {
  const seconds = new Map<string, Second<Told>>();
  let isStopped = false;

  function begin(key: string, change: Told): void {
    seconds.set(key, { timer: setTimeout(() => end(key), SECOND_MS), next: undefined });
    pass(change);
  }

  function end(key: string): void {
    const next = seconds.get(key)?.next;
    seconds.delete(key);
    if (next) begin(key, next);
  }

  function joined(before: Told | undefined, change: Told): Told {
    if (!before || before.id === change.id) return change;
    const { id: _, ...rest } = change;
    return rest as Told;
  }

  return {
    add(change) {
      if (isStopped) return;
      const key = `${change.noun} ${change.networkID ?? ""}`;
      const second = seconds.get(key);
      if (second) second.next = joined(second.next, change);
      else begin(key, change);
    },
    stop() {
      isStopped = true;
      for (const { timer } of seconds.values()) clearTimeout(timer);
      seconds.clear();
    },
  };
}
