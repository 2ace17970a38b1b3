/** How much CPU time of this process the work takes, in milliseconds: unlike elapsed time, not what others use. */
export async function cpuMsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
