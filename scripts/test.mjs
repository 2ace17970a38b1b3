/** Everything: the checks, then every test, then one closing line with the count. */
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));

const node = (args) => spawnSync(process.execPath, args, { stdio: "inherit" }).status === 0;

function vitest(name, projects, options = []) {
  const report = `.cache/${name}.json`;
  rmSync(report, { force: true });
  const ok = node([
    "node_modules/vitest/vitest.mjs",
    "run",
    ...projects.flatMap((project) => ["--project", project]),
    ...options,
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
  ]);
  const {
    numPassedTests = 0,
    numFailedTests = 0,
    numPendingTests = 0,
  } = JSON.parse(readFileSync(report, "utf8"));
  return { ok, passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests };
}

if (!node(["scripts/check.mjs"])) process.exit(1);
const runs = [
  vitest("fast", ["pure", "agent", "server", "web"]),
  vitest("e2e", ["e2e"]),
  // It waits for packets more than it computes.
  vitest("dataplane", ["dataplane"], ["--maxWorkers=4"]),
];
const sum = (key) => runs.reduce((total, run) => total + run[key], 0);
process.stdout.write(`\n${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped\n`);
process.exit(runs.every(({ ok }) => ok) && sum("skipped") === 0 && sum("passed") > 0 ? 0 : 1);
