/** `npm run lab` starts the lab; `npm run lab -- exec HOST -- COMMAND` runs a command on one of its hosts. */
import { join } from "node:path";
import { runProgram } from "../run-program.ts";
import { ConfigError } from "@lightkeeper/server/app";
import { execute } from "./commands.ts";
import { assertCanRun, runLab } from "./lab.ts";

await runProgram(async ([cache = ".cache", command, ...args]) => {
  const stateFile = join(cache, "lab/state.json");
  if (command === undefined) return runLab({ cache, stateFile });
  if (command !== "exec")
    throw new ConfigError(
      `Unknown command ${command}. Usage: npm run lab, or npm run lab -- exec HOST -- COMMAND`,
    );
  assertCanRun();
  process.exitCode = await execute(stateFile, args);
});
