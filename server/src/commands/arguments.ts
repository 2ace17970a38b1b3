import { parseArgs } from "node:util";
import { ConfigError } from "../infrastructure/config/config.ts";

/** What stands on a command line: exactly these operands, and any of these flags. */
export function readArguments<const Flag extends string = never>(
  args: string[],
  usage: string,
  flags: readonly Flag[] = [],
): { operands: string[]; flags: Record<Flag, boolean> } {
  const options = Object.fromEntries(flags.map((flag) => [flag, { type: "boolean" as const }]));
  const wanted = usage.split(" ").filter((word) => /^[A-Z]/.test(word)).length;
  const parsed = attempt(() => parseArgs({ args, options, allowPositionals: true }));
  if (!parsed || parsed.positionals.length !== wanted || parsed.positionals.includes(""))
    throw new ConfigError(`Usage: ${usage}`);
  const given = Object.fromEntries(flags.map((flag) => [flag, parsed.values[flag] === true]));
  return { operands: parsed.positionals, flags: given as Record<Flag, boolean> };
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
