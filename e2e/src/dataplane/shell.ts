import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Runs a program; rejects with what it said when it fails. */
export async function sh(command: string, ...args: string[]): Promise<string> {
  const { stdout } = await run(command, args);
  return stdout;
}

export const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

/** Asks until the answer is true, and says how long that took; fails loudly when it never is. */
export async function until(
  what: string,
  isTrue: () => Promise<boolean> | boolean,
  { seconds = 60, everyMs = 100 } = {},
): Promise<number> {
  const startedAt = performance.now();
  while (!(await isTrue())) {
    if (performance.now() - startedAt > seconds * 1000) throw new Error(`Not within ${seconds} s: ${what}`);
    await sleep(everyMs);
  }
  return performance.now() - startedAt;
}
