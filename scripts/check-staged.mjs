/** Checks the format and lint of the staged files, as they will be committed. The pre-commit hook runs this. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const bin = fileURLToPath(new URL("../node_modules/.bin/", import.meta.url));
const CONFIGURATION = [".oxfmtrc.json", ".oxlintrc.json"];
const LINTED = /\.(?:[cm]?[jt]s|tsx)$/;

const git = (...args) => execFileSync("git", args, { encoding: "utf8" }).split("\0").filter(Boolean);

/** The index can differ from the working tree, so the staged content is checked in a copy. */
function copyStaged(files, directory) {
  const configuration = git("ls-files", "-z", "--", ...CONFIGURATION);
  const copied = new Set([...files, ...configuration]);
  git("checkout-index", `--prefix=${directory}/`, "--", ...copied);
}

function run(command, args, directory) {
  const { status } = spawnSync(join(bin, command), args, { cwd: directory, stdio: "inherit" });
  return status === 0;
}

function checkStaged() {
  const files = git("diff", "--cached", "--name-only", "--diff-filter=ACMR", "-z");
  if (files.length === 0) return true;
  const directory = mkdtempSync(join(tmpdir(), "lightkeeper-staged-"));
  try {
    copyStaged(files, directory);
    const isFormatted = run(
      "oxfmt",
      ["--check", "--no-error-on-unmatched-pattern", "--", ...files],
      directory,
    );
    const linted = files.filter((file) => LINTED.test(file));
    const isLintClean =
      linted.length === 0 || run("oxlint", ["--deny-warnings", "--quiet", ...linted], directory);
    return isFormatted && isLintClean;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

if (!checkStaged()) {
  process.stderr.write("Fix the staged files (npm run format fixes the format) and stage them again.\n");
  process.exitCode = 1;
}
