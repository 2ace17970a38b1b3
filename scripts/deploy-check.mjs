/**
 * Builds and runs the container image, the services of compose.yaml, the Debian packages and the production guide, and
 * prints what it did: npm run deploy:check. Needs Debian and root. `deploy-check.mjs guide` only runs the guide.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));

const FIGURES = join(process.cwd(), ".cache/deployment/figures.jsonl");
const node = (args, env = {}) =>
  spawnSync(process.execPath, args, { stdio: "inherit", env: { ...process.env, ...env } }).status ?? 1;

const [filter = ""] = process.argv.slice(2);
rmSync(FIGURES, { force: true });
let status = node(["scripts/prepare.mjs", "--deployment"]);
if (status === 0)
  status = node(
    ["node_modules/vitest/vitest.mjs", "run", "--project", "deployment", ...(filter ? [filter] : [])],
    {
      DEPLOYMENT_FIGURES: FIGURES,
    },
  );
if (existsSync(FIGURES)) {
  const rows = readFileSync(FIGURES, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const width = (key) => Math.max(...rows.map((row) => row[key].length));
  for (const { subject, what, figure } of rows)
    process.stdout.write(`${subject.padEnd(width("subject"))}  ${what.padEnd(width("what"))}  ${figure}\n`);
}
process.exit(status);
