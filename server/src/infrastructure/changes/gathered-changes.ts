/**
 * Passes changes on, of one noun and network one at a time: the first at once, and what comes in the moment after it
 * as one, which of several things names only where they are.
 */
import type { Change } from "@lightkeeper/contract";

/** What hosts say is gathered twice, where it is heard and where it is told, and is still seen within a second. */
const MOMENT_MS = 400;

export interface GatheredChanges<Told extends Change> {
  add: (change: Told) => void;
  /** Whatever has not been passed on by now is dropped, and so is what still comes. */
  stop: () => void;
}

interface Moment<Told> {
  timer: NodeJS.Timeout;
  next: Told | undefined;
}

export function gatherChanges<Told extends Change>(pass: (change: Told) => void): GatheredChanges<Told> {
  const moments = new Map<string, Moment<Told>>();
  let isStopped = false;

  function begin(key: string, change: Told): void {
    moments.set(key, { timer: setTimeout(() => end(key), MOMENT_MS), next: undefined });
    pass(change);
  }

  function end(key: string): void {
    const next = moments.get(key)?.next;
    moments.delete(key);
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
      const moment = moments.get(key);
      if (moment) moment.next = joined(moment.next, change);
      else begin(key, change);
    },
    stop() {
      isStopped = true;
      for (const { timer } of moments.values()) clearTimeout(timer);
      moments.clear();
    },
  };
}
