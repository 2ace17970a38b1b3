/** Runs the agent until it's stopped, and starts it again when the nebula program is replaced. */
import { Agent } from "./agent.ts";
import { lock } from "./lock.ts";
import { NebulaLog } from "./nebula-log.ts";
import { readNebulaVersion } from "./nebula.ts";
import { identifyProgram } from "./program-file.ts";
import type { StateDirectory } from "./state.ts";

export interface RunOptions {
  readonly directory: StateDirectory;
  /** Overrides the path stored by `enroll`. */
  readonly nebulaPath: string | undefined;
  readonly stop: AbortSignal;
  readonly print: (message: string) => void;
  /** Called with the function that loads a new enrollment. */
  readonly onReloadable?: (reload: () => void) => void;
}

export async function runAgent({
  directory,
  nebulaPath,
  stop,
  print,
  onReloadable,
}: RunOptions): Promise<void> {
  directory.prepare();
  const unlock = lock(directory);
  try {
    let state = directory.load();
    const log = new NebulaLog(directory.path("nebula.log"));
    log.lines.on("line", print);
    try {
      // Each pass runs one version of the nebula program.
      for (;;) {
        const path = nebulaPath ?? state.nebula;
        const program = identifyProgram(path);
        const nebulaVersion = await readNebulaVersion(path);
        const agent = new Agent({ directory, path, program, nebulaVersion, log, print, state });
        onReloadable?.(() => agent.reload());
        await agent.run(stop);
        if (stop.aborted) return;
        state = directory.load();
      }
    } finally {
      log.close();
    }
  } finally {
    unlock();
  }
}
