import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Runs a program. The error contains its output. */
export async function sh(command: string, ...args: string[]): Promise<string> {
  const { stdout } = await run(command, args);
  return stdout;
}

export const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

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
    await sleep(everyMs);
  }
  return performance.now() - startedAt;
}
