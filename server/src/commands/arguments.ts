import { parseArgs } from "node:util";
import { ConfigError } from "../infrastructure/config/config.ts";

/** Parses a command line with exactly these operands and any of these flags. */
export function readArguments<const Flag extends string = never>(
  args: string[],
  usage: string,
  flags: readonly Flag[] = [],
): { operands: string[]; flags: Record<Flag, boolean> } {
  const options = Object.fromEntries(flags.map((flag) => [flag, { type: "boolean" as const }]));
  const operandCount = usage.split(" ").filter((word) => /^[A-Z]/.test(word)).length;
  const parsed = tryOrUndefined(() => parseArgs({ args, options, allowPositionals: true }));
  if (!parsed || parsed.positionals.length !== operandCount || parsed.positionals.includes(""))
    throw new ConfigError(`Usage: ${usage}`);
  const values = Object.fromEntries(flags.map((flag) => [flag, parsed.values[flag] === true]));
  return { operands: parsed.positionals, flags: values as Record<Flag, boolean> };
}

function tryOrUndefined<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
