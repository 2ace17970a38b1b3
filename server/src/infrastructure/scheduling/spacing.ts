/** Keeps the starts of repeated work apart. */
import { setTimeout as sleep } from "node:timers/promises";

/** Called before each start; returns a promise if the last start is less than `spacingMs` ago. */
export function createSpacing(spacingMs: number): () => Promise<void> | undefined {
  let nextStartAt = 0;
  return () => {
    const earlyMs = Math.max(0, nextStartAt - performance.now());
    nextStartAt = performance.now() + earlyMs + spacingMs;
    return earlyMs > 0 ? sleep(earlyMs) : undefined;
  };
}
