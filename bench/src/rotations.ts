/** Rotates the CA of a network again and again. */
import { setTimeout as sleep } from "node:timers/promises";
import { getCaRotation, rotateCa } from "@lightkeeper/contract";
import { MINUTE_MS, SECOND_MS } from "@lightkeeper/contract/durations";
import type { Recorder } from "./failures.ts";
import type { Figure } from "./figure.ts";
import type { Prepared } from "./fleet-system.ts";
import { repeat } from "./repeat.ts";

const CHECK_EVERY_MS = 2 * SECOND_MS;
const PAUSE_MS = 5 * SECOND_MS;
/** Each step waits for agents that are stopped for two minutes. */
const ROTATION_MS_MAX = 10 * MINUTE_MS;

export interface Rotations {
  /** Waits for the rotation in progress. */
  stop: () => Promise<void>;
  figures: () => Figure[];
}

export function startRotations({ logIn, networkID }: Prepared, { record }: Recorder): Rotations {
  const params = { networkID };
  const stopped = new AbortController();
  const seconds: number[] = [];
  let unfinishedCount = 0;

  async function rotate(): Promise<void> {
    // A session can rotate a CA only within an hour after its second factor.
    const call = await logIn();
    const startedAt = performance.now();
    // Without a response, the next call returns the rotation in progress.
    const started = await record("rotateCa", call(rotateCa, { params, body: {} }));
    if (!started) return;
    while (performance.now() < startedAt + ROTATION_MS_MAX) {
      const rotation = await record("getCaRotation", call(getCaRotation, { params }));
      if (rotation?.newCAID === started.newCAID && rotation.step === "DONE")
        return void seconds.push((performance.now() - startedAt) / SECOND_MS);
      await sleep(CHECK_EVERY_MS);
    }
    unfinishedCount++;
  }

  const running = repeat(PAUSE_MS, stopped.signal, rotate);
  return {
    stop: () => {
      stopped.abort();
      return running;
    },
    figures: () => [
      {
        what: "completed CA rotations",
        detail: `one after the other; the longest took ${Math.max(0, ...seconds).toFixed(0)} s`,
        value: seconds.length,
        unit: " rotations",
        limit: 1,
        limitIs: "at least",
      },
      {
        what: "CA rotations that didn't complete",
        detail: `within ${ROTATION_MS_MAX / MINUTE_MS} minutes`,
        value: unfinishedCount,
        unit: " rotations",
        limit: 0,
        limitIs: "at most",
      },
    ],
  };
}
