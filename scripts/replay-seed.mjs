/** Repeats a run of property tests: a failure prints the seed, and FUZZ_SEED sets it. */
if (process.env.FUZZ_SEED) {
  const { configureGlobal } = await import("fast-check");
  configureGlobal({ seed: Number(process.env.FUZZ_SEED) });
}
