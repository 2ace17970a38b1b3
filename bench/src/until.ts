import { setTimeout as sleep } from "node:timers/promises";

const TIMEOUT_MS = 10 * 60_000;
const INTERVAL_MS = 200;

/** Waits until the condition is true; throws after the timeout. */
export async function until(description: string, condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  while (!(await condition())) {
    if (Date.now() > deadline)
      throw new Error(`Not true after ${TIMEOUT_MS / 60_000} minutes: ${description}`);
    await sleep(INTERVAL_MS);
  }
}
