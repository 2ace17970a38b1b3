import { setTimeout as sleep } from "node:timers/promises";
import { MINUTE_MS } from "@lightkeeper/contract/durations";

const TIMEOUT_MS = 10 * MINUTE_MS;
const INTERVAL_MS = 200;

/** Waits until the condition is true; throws after the timeout. */
export async function until(description: string, condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  while (!(await condition())) {
    if (Date.now() > deadline)
      throw new Error(`Not true after ${TIMEOUT_MS / MINUTE_MS} minutes: ${description}`);
    await sleep(INTERVAL_MS);
  }
}
