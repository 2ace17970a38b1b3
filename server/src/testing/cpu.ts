const ATTEMPTS = 3;

/**
 * Measures CPU time in milliseconds, which other processes do not affect. Does the work several times and returns the
 * least time, because garbage of earlier tests may be collected at any time.
 */
export async function measureCpuMs(work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  return Math.min(...times);
}
