/** Runs the checks and all tests, and prints the totals. */
import { spawn, spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));

/** Groups of one phase run in parallel: those that mostly wait, for packets and processes, leave the CPU to the others. */
const phases = [
  [
    { name: "dataplane", projects: ["dataplane", "agent"], workers: 4 },
    { name: "fast", projects: ["pure", "server", "web"], workers: 2 },
  ],
  // Chromium needs both cores: some of these tests check how long a person waits.
  [{ name: "e2e", projects: ["e2e"], workers: 2 }],
];

const reportOf = (name) => `.cache/${name}.json`;

/** Prints the output when the group ends, so that the groups aren't mixed. */
function run({ name, projects, workers }) {
  rmSync(reportOf(name), { force: true });
  const args = [
    "node_modules/vitest/vitest.mjs",
    "run",
    ...projects.flatMap((project) => ["--project", project]),
    `--maxWorkers=${workers}`,
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${reportOf(name)}`,
  ];
  const log = `.cache/${name}.log`;
  const output = openSync(log, "w");
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { stdio: ["ignore", output, output] });
  closeSync(output);
  return new Promise((resolve) =>
    child.once("exit", (code) => {
      process.stdout.write(readFileSync(log));
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      resolve({ name, seconds, ...resultOf(name, code === 0) });
    }),
  );
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

if (spawnSync(process.execPath, ["scripts/check.mjs"], { stdio: "inherit" }).status !== 0) process.exit(1);
const results = [];
for (const groups of phases) results.push(...(await Promise.all(groups.map(run))));
for (const problem of results.flatMap(({ problems }) => problems)) process.stdout.write(`\n${problem}\n`);
const durations = results.map(({ name, seconds }) => `${name} ${seconds} s`).join(", ");
const sum = (key) => results.reduce((total, result) => total + result[key], 0);
process.stdout.write(
  `\n${durations}\n${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped\n`,
);
process.exit(results.every(({ ok }) => ok) && sum("skipped") === 0 && sum("passed") > 0 ? 0 : 1);
