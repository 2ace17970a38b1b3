/** Identifies a program's file, so that the agent notices when it's replaced. */
import { statSync } from "node:fs";
import { join } from "node:path";

function candidatePaths(program: string): string[] {
  if (program.includes("/")) return [program];
  const directories = (process.env.PATH ?? "").split(":").filter((directory) => directory !== "");
  return directories.map((directory) => join(directory, program));
}

/** Returns undefined if the file doesn't exist. A bare name is looked up on PATH. */
export function identifyProgram(program: string): string | undefined {
  for (const path of candidatePaths(program)) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isFile()) return [path, stats.dev, stats.ino, stats.size, stats.mtimeMs].join(" ");
  }
  return undefined;
}
