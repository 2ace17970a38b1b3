/** Waits until the condition is true and returns how long that took in milliseconds; throws after the timeout. */
export async function until(
  description: string,
  condition: () => Promise<boolean> | boolean,
  { seconds = 60, everyMs = 100 } = {},
): Promise<number> {
  const startedAt = performance.now();
  while (!(await condition())) {
    if (performance.now() - startedAt > seconds * 1000)
      throw new Error(`Not true after ${seconds} s: ${description}`);
    await new Promise((done) => setTimeout(done, everyMs));
  }
  return performance.now() - startedAt;
}
