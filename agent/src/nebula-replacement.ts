/** Notices when the nebula program was replaced. */
import { messageOf } from "./errors.ts";
import { readNebulaVersion } from "./nebula.ts";
import { identifyProgram } from "./program-file.ts";

interface NebulaProgram {
  readonly path: string;
  /** Identity of the file at `path` when its version was read. */
  readonly program: string | undefined;
  readonly print: (message: string) => void;
}

/**
 * Returns a function that returns whether another program can be started. One that can't run is ignored: the running
 * nebula must not be stopped for it.
 */
export function watchForReplacement({ path, program, print }: NebulaProgram): () => Promise<boolean> {
  let known = program;
  return async () => {
    const current = identifyProgram(path);
    if (current === undefined || current === known) return false;
    known = current;
    try {
      print(`Nebula was replaced: version ${(await readNebulaVersion(path)) ?? "unknown"}.`);
      return true;
    } catch (error) {
      print(`${messageOf(error)} The previous Nebula keeps running.`);
      return false;
    }
  };
}
