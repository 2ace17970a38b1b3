import { setTimeout as sleep } from "node:timers/promises";

const PATIENCE_MS = 10 * 60_000;
const LOOK_EVERY_MS = 200;

/** Waits for it, but not for ever. */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`Waited ${PATIENCE_MS / 60_000} minutes in vain: ${what}`);
    await sleep(LOOK_EVERY_MS);
  }
}
