import { setTimeout as sleep } from "node:timers/promises";
import { MINUTE_MS } from "@lightkeeper/contract/durations";

const TIMEOUT_MS = 10 * MINUTE_MS;
const INTERVAL_MS = 200;

/** Waits until the condition is true, or for this time; returns whether it is true. */
export async function waitFor(timeoutMs: number, condition: () => Promise<boolean>): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) return false;
    await sleep(INTERVAL_MS);
  }
  return true;
}

/** Waits until the condition is true; throws after the timeout. */
export async function until(description: string, condition: () => Promise<boolean>): Promise<void> {
  if (!(await waitFor(TIMEOUT_MS, condition)))
    throw new Error(`Not true after ${TIMEOUT_MS / MINUTE_MS} minutes: ${description}`);
}
