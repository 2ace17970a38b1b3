import { once } from "node:events";
import type { Writable } from "node:stream";
import { setTimeout } from "node:timers/promises";

/** Returns whether the stream accepts more data within the time. */
export async function waitForDrain(stream: Writable, ms: number): Promise<boolean> {
  const settled = new AbortController();
  const { signal } = settled;
  try {
    return await Promise.race([
      once(stream, "drain", { signal }).then(() => true),
      once(stream, "close", { signal }).then(() => false),
      setTimeout(ms, false, { signal }),
    ]);
  } catch {
    // The stream failed.
    return false;
  } finally {
    settled.abort();
  }
}
