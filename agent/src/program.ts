/** Which file a program is, so that one put in its place is noticed. */
import { statSync } from "node:fs";
import { join } from "node:path";

function places(program: string): string[] {
  if (program.includes("/")) return [program];
  const directories = (process.env.PATH ?? "").split(":").filter((directory) => directory !== "");
  return directories.map((directory) => join(directory, program));
}

/** Undefined while it is not there. A bare name is looked for on PATH. */
export function identifyProgram(program: string): string | undefined {
  for (const path of places(program)) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isFile()) return [path, stats.dev, stats.ino, stats.size, stats.mtimeMs].join(" ");
  }
  return undefined;
}
