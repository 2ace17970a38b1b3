import { escapeText } from "@lightkeeper/contract/characters";
import { ConfigError } from "@lightkeeper/server/app";

/** Runs a program with its arguments. Prints an expected error without its stack. */
export async function runProgram(program: (args: string[]) => Promise<void>): Promise<void> {
  try {
    await program(process.argv.slice(2));
  } catch (error) {
    const isExpected = error instanceof ConfigError;
    const text = isExpected ? error.message : String((error as Error).stack ?? error);
    process.stderr.write(`${escapeText(text)}\n`);
    process.exit(1);
  }
}
