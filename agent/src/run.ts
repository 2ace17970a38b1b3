/** Runs the agent until it is told to stop, with each nebula that takes the place of the last. */
import { Agent } from "./agent.ts";
import { lock } from "./lock.ts";
import { NebulaLog } from "./logs.ts";
import { readNebulaVersion } from "./nebula.ts";
import { identifyProgram } from "./program.ts";
import type { StateDirectory } from "./state.ts";

export interface RunOptions {
  readonly directory: StateDirectory;
  /** Instead of the one named at enrollment. */
  readonly nebulaPath: string | undefined;
  readonly stop: AbortSignal;
  readonly say: (sentence: string) => void;
  /** Called once it is known how a new enrollment is taken over. */
  readonly onReloadable?: (reload: () => void) => void;
}

/** Ends when it is told to stop. */
export async function runAgent({
  directory,
  nebulaPath,
  stop,
  say,
  onReloadable,
}: RunOptions): Promise<void> {
  directory.prepare();
  const unlock = lock(directory);
  try {
    let state = directory.load();
    const log = new NebulaLog(directory.path("nebula.log"));
    log.lines.on("line", say);
    try {
      // Once more with each nebula that takes the place of the last.
      for (;;) {
        const path = nebulaPath ?? state.nebula;
        const program = identifyProgram(path);
        const nebulaVersion = await readNebulaVersion(path);
        const agent = new Agent({ directory, path, program, nebulaVersion, log, say, state });
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
