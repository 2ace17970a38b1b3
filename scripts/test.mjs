/** Runs the checks and all tests, and prints the totals. */
import { spawn, spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));

const node = (args) => spawnSync(process.execPath, args, { stdio: "inherit" }).status === 0;

const reportOf = (name) => `.cache/${name}.json`;

function argumentsFor(name, projects, options = []) {
  rmSync(reportOf(name), { force: true });
  return [
    "node_modules/vitest/vitest.mjs",
    "run",
    ...projects.flatMap((project) => ["--project", project]),
    ...options,
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${reportOf(name)}`,
  ];
}

function resultOf(name, ok) {
  const {
    numPassedTests = 0,
    numFailedTests = 0,
    numPendingTests = 0,
    testResults = [],
  } = JSON.parse(readFileSync(reportOf(name), "utf8"));
  return {
    ok,
    passed: numPassedTests,
    failed: numFailedTests,
    skipped: numPendingTests,
    problems: testResults.flatMap(problemsOf),
  };
}

/** One file's failed and skipped tests, each with the first lines of its message. */
function problemsOf({ name: file, status, message, assertionResults }) {
  const tests = assertionResults
    .filter((test) => test.status !== "passed")
    .map((test) => `${test.status}: ${file} > ${test.fullName}${excerptOf(test.failureMessages.join("\n"))}`);
  return status === "failed" && tests.length === 0 ? [`failed: ${file}${excerptOf(message)}`] : tests;
}

const excerptOf = (message) =>
  message
    .split("\n")
    .slice(0, 12)
    .map((line) => `\n    ${line}`)
    .join("");

const run = (name, projects) => resultOf(name, node(argumentsFor(name, projects)));

/** Runs in parallel with other tests; prints the output at the end. */
function runInBackground(name, projects, options) {
  const log = `.cache/${name}.log`;
  const output = openSync(log, "w");
  const child = spawn(process.execPath, argumentsFor(name, projects, options), {
    stdio: ["ignore", output, output],
  });
  closeSync(output);
  return new Promise((resolve) =>
    child.once("exit", (code) => {
      process.stdout.write(readFileSync(log));
      resolve(resultOf(name, code === 0));
    }),
  );
}

if (!node(["scripts/check.mjs"])) process.exit(1);
// In parallel, because the dataplane tests mostly wait for packets.
const dataplane = runInBackground("dataplane", ["dataplane"], ["--maxWorkers=4"]);
const runs = [run("fast", ["pure", "agent", "server", "web"]), run("e2e", ["e2e"]), await dataplane];
for (const problem of runs.flatMap(({ problems }) => problems)) process.stdout.write(`\n${problem}\n`);
const sum = (key) => runs.reduce((total, run) => total + run[key], 0);
process.stdout.write(`\n${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped\n`);
process.exit(runs.every(({ ok }) => ok) && sum("skipped") === 0 && sum("passed") > 0 ? 0 : 1);
