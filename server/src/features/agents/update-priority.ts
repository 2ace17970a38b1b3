/**
 * Serves hosts that fetch an update before hosts that report or poll when thousands of hosts call at the same time.
 * Only authenticated messages, and messages that are expected, make others wait, and a host counts once however many
 * updates it requests.
 */
import { SECOND_MS } from "../../infrastructure/time/durations.ts";

export interface UpdatePriority {
  /** Runs the work immediately; while many hosts fetch updates, other messages wait. */
  run: <T>(hostID: string, work: () => Promise<T>) => Promise<T>;
  /** Resolves when few hosts fetch updates, or after the longest wait. */
  wait: () => Promise<void>;
}

const FEW_HOSTS = 50;
const RELEASED_TOGETHER_MAX = 100;
const WAIT_MS_MAX = 10 * SECOND_MS;

export function createUpdatePriority(waitMsMax = WAIT_MS_MAX): UpdatePriority {
  /** How many updates each host fetches. */
  const fetching = new Map<string, number>();
  const waiting = new Set<() => void>();
  let isReleaseScheduled = false;

  function release(): void {
    isReleaseScheduled = false;
    if (fetching.size >= FEW_HOSTS) return;
    let left = RELEASED_TOGETHER_MAX;
    for (const resume of waiting) {
      if (left-- === 0) return scheduleRelease();
      resume();
    }
  }
  /** Updates that arrive in between are served first. */
  function scheduleRelease(): void {
    if (isReleaseScheduled) return;
    isReleaseScheduled = true;
    setImmediate(release);
  }

  return {
    async run(hostID, work) {
      fetching.set(hostID, (fetching.get(hostID) ?? 0) + 1);
      try {
        return await work();
      } finally {
        const left = (fetching.get(hostID) ?? 0) - 1;
        if (left > 0) fetching.set(hostID, left);
        else fetching.delete(hostID);
        if (fetching.size < FEW_HOSTS && waiting.size > 0) scheduleRelease();
      }
    },
    wait: () =>
      new Promise((resolve) => {
        if (fetching.size < FEW_HOSTS && waiting.size === 0) return resolve();
        const resume = () => {
          clearTimeout(timer);
          waiting.delete(resume);
          resolve();
        };
        const timer = setTimeout(resume, waitMsMax);
        waiting.add(resume);
      }),
  };
}
