/** Runs the model for longer, or repeats a run: `npm run model -- --minutes 120 --seed 1 --keep 0,3`. */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { minutes: { type: "string" }, seed: { type: "string" }, keep: { type: "string" } },
});
const { minutes, seed, keep } = values;
const environment = {
  ...(minutes !== undefined && { MODEL_MINUTES: minutes }),
  ...(seed !== undefined && { MODEL_SEED: seed }),
  ...(keep !== undefined && { MODEL_KEEP: keep }),
};
const { status } = spawnSync("npx", ["vitest", "run", "--project", "server", import.meta.dirname], {
  stdio: "inherit",
  env: { ...process.env, ...environment },
});
process.exit(status ?? 1);
