import { setTimeout as sleep } from "node:timers/promises";

/** Sleeps until the time has passed or the signal is aborted. */
export const pause = (ms: number, stop: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal: stop }).catch(() => undefined);

/** Repeats the work with a pause in between until the signal is aborted. */
export async function repeat(pauseMs: number, stop: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!stop.aborted) {
    await work();
    await pause(pauseMs, stop);
  }
}
