import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Runs a program. The error contains its output. */
export async function sh(command: string, ...args: string[]): Promise<string> {
  const { stdout } = await run(command, args);
  return stdout;
}
