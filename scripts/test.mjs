/** Runs the checks and all tests, and prints the totals. */
import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));

/** The groups of test projects. The first two run side by side: many of their tests wait, for packets and processes. */
const dataplane = { name: "dataplane", projects: ["dataplane", "access", "agent", "failover"], workers: 4 };
const fast = { name: "fast", projects: ["pure", "server", "web"], workers: 4 };
const e2e = { name: "e2e", projects: ["e2e"], workers: 3 };

const MEMORY_FOLDER = "/dev/shm";
const FREE_GIGABYTES_MIN = 8;

/** In memory if possible: on a slow disk, creating a database takes ten times as long. */
function chooseTemporaryFolder() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return (bavail * bsize) / 1024 ** 3 >= FREE_GIGABYTES_MIN ? MEMORY_FOLDER : tmpdir();
  } catch {
    return tmpdir();
  }
}

const environment = { ...process.env, TMPDIR: chooseTemporaryFolder() };

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
  const child = spawn(process.execPath, args, { stdio: ["ignore", output, output], env: environment });
  closeSync(output);
  return new Promise((resolve) =>
    child.once("exit", (code) => {
      const text = readFileSync(log, "utf8");
      process.stdout.write(text);
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      const { problems, ...result } = resultOf(name, code === 0);
      resolve({ name, seconds, ...result, problems: [...problems, ...hookErrorsOf(text)] });
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

/** Why tests were skipped: Vitest's report lacks the errors of a suite's hooks, which only its output has. */
function hookErrorsOf(output) {
  const [, errors] = stripVTControlCharacters(output).split(/⎯ Failed Suites \d+ ⎯+\n/);
  return errors === undefined ? [] : [errors.split(/⎯ Failed Tests \d+ ⎯|\n Test Files /)[0].trimEnd()];
}

/** Vitest's report has this placeholder instead of the message of a timeout. */
const TIMEOUT_PLACEHOLDER = "Error: STACK_TRACE_ERROR";

const excerptOf = (message) =>
  message
    .replace(TIMEOUT_PLACEHOLDER, "The test timed out.")
    .split("\n")
    .slice(0, 12)
    .map((line) => `\n    ${line}`)
    .join("");

function check() {
  const child = spawn(process.execPath, ["scripts/check.mjs"], { stdio: "inherit" });
  return new Promise((resolve) => child.once("exit", (code) => resolve(code === 0)));
}

const dataplaneResult = run(dataplane);
const isClean = await check();
const results = isClean ? [await run(fast)] : [];
// Also after a failed check: these tests remove their namespaces and processes at the end.
results.push(await dataplaneResult);
// Chromium needs both cores: some of these tests check how long a person waits.
if (isClean) results.push(await run(e2e));
for (const problem of results.flatMap(({ problems }) => problems)) process.stdout.write(`\n${problem}\n`);
const durations = results.map(({ name, seconds }) => `${name} ${seconds} s`).join(", ");
const sum = (key) => results.reduce((total, result) => total + result[key], 0);
process.stdout.write(
  `\n${durations}\n${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped\n`,
);
process.exit(isClean && results.every(({ ok }) => ok) && sum("skipped") === 0 && sum("passed") > 0 ? 0 : 1);
