/** Prepares each test file, except those in e2e. */
import { vi } from "vitest";

/** The default of one second is too short on a busy machine. */
const WAIT_MS_MAX = 20_000;

const { waitFor } = vi;
vi.waitFor = (callback, options = {}) =>
  waitFor(callback, typeof options === "number" ? options : { timeout: WAIT_MS_MAX, ...options });

// Property tests print their seed if they fail; this repeats the run.
if (process.env.FUZZ_SEED) {
  const { configureGlobal } = await import("fast-check");
  configureGlobal({ seed: Number(process.env.FUZZ_SEED) });
}
