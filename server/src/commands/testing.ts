import { vi } from "vitest";
import { runCommand } from "./commands.ts";

/** Runs a command in this process with these variables; returns what it prints. */
export async function captureCommand(
  environment: Record<string, string | undefined>,
  ...args: string[]
): Promise<string> {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  let output = "";
  const write = vi
    .spyOn(process.stdout, "write")
    .mockImplementation((text) => Boolean((output += String(text))));
  await runCommand(args).finally(() => write.mockRestore());
  return output;
}
