/**
 * Creates a release: npm run release -- 1.2.3 [--dry-run]. Sets the version, moves the unreleased changes in the
 * changelog, builds the assets in release/, commits and tags. A dry run only writes to release/. With --assets, it builds
 * the assets of the current version, which the release workflow publishes.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readSection, releaseSection } from "./changelog.mjs";
import { setLockVersion, setVersion, validateVersion } from "./version.mjs";

const MAIN_BRANCH = "main";
const OUTPUT = "release";
const ASSETS = join(OUTPUT, "assets");
const AGENTS = "agent/dist";
const CHECKSUMS = "SHA256SUMS";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));

const read = (file) => readFileSync(file, "utf8");
const print = (line) => process.stdout.write(`${line}\n`);
const { name: product, version: current, workspaces } = JSON.parse(read("package.json"));

function run(command, ...args) {
  return execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();
}

const git = (...args) => run("git", ...args);

/** A dry run only warns about these problems. */
function findProblems() {
  const branch = git("rev-parse", "--abbrev-ref", "HEAD");
  return [
    branch === MAIN_BRANCH ? undefined : `The current branch is ${branch}, not ${MAIN_BRANCH}.`,
    git("status", "--porcelain") === "" ? undefined : "The working tree has uncommitted changes.",
  ].filter(Boolean);
}

/** The content of every file that contains the version, after the release. */
function planFiles(version) {
  const date = new Date().toISOString().slice(0, "YYYY-MM-DD".length);
  const packages = ["package.json", ...workspaces.map((workspace) => `${workspace}/package.json`)];
  return new Map([
    ...packages.map((file) => [file, setVersion(read(file), version)]),
    ["package-lock.json", setLockVersion(read("package-lock.json"), version, workspaces)],
    ["CHANGELOG.md", releaseSection(read("CHANGELOG.md"), version, date)],
  ]);
}

function writeFiles(files, directory = ".") {
  for (const [file, content] of files) {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    writeFileSync(join(directory, file), content);
  }
}

/** A local server offers every agent in agent/dist, so agents of the new version don't stay there. */
function buildAgent() {
  const existing = new Set(existsSync(AGENTS) ? readdirSync(AGENTS) : []);
  const files = run(process.execPath, "scripts/build-agent.mjs", "--executables").split("\n");
  for (const file of files) {
    copyFileSync(file, join(ASSETS, basename(file)));
    if (!existing.has(basename(file))) rmSync(file);
  }
}

function writeSbom(version) {
  const json = run(
    "npm",
    "sbom",
    "--sbom-format=cyclonedx",
    "--sbom-type=application",
    "--omit=dev",
    "--package-lock-only",
  );
  const sbom = JSON.parse(json);
  // npm uses the name of the directory.
  sbom.metadata.component.name = product;
  writeFileSync(join(ASSETS, `${product}-${version}.cdx.json`), `${JSON.stringify(sbom, null, 2)}\n`);
}

function writeChecksums() {
  const lines = readdirSync(ASSETS)
    .sort()
    .map((file) => {
      const hash = createHash("sha256")
        .update(readFileSync(join(ASSETS, file)))
        .digest("hex");
      return `${hash}  ${file}\n`;
    });
  writeFileSync(join(ASSETS, CHECKSUMS), lines.join(""));
}

function writeNotes(version) {
  const section = readSection(read("CHANGELOG.md"), version);
  if (!section) throw new Error(`CHANGELOG.md has no section [${version}].`);
  const verify = `Verify the downloads with \`sha256sum --check ${CHECKSUMS}\`.`;
  writeFileSync(join(OUTPUT, "notes.md"), `${section}\n\n${verify}\n`);
}

function buildAssets(version) {
  rmSync(OUTPUT, { recursive: true, force: true });
  mkdirSync(ASSETS, { recursive: true });
  writeNotes(version);
  buildAgent();
  writeSbom(version);
  writeChecksums();
  for (const file of readdirSync(ASSETS)) print(join(ASSETS, file));
}

/** The assets contain the version, so they're built after the files have changed. */
function buildRelease(version, files, isDryRun) {
  const originals = new Map([...files.keys()].map((file) => [file, read(file)]));
  let isKept = false;
  try {
    writeFiles(files);
    buildAssets(version);
    isKept = !isDryRun;
  } finally {
    if (!isKept) writeFiles(originals);
  }
}

function release(version, isDryRun) {
  const invalid = validateVersion(version, { current, tags: git("tag", "--list").split("\n") });
  if (invalid) throw new Error(invalid);
  const problems = findProblems();
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (problems.length > 0 && !isDryRun) throw new Error("Nothing has been changed.");
  const files = planFiles(version);
  buildRelease(version, files, isDryRun);
  if (isDryRun) {
    writeFiles(files, join(OUTPUT, "files"));
    print(`Dry run: see ${OUTPUT}/. Nothing has been committed or tagged.`);
    return;
  }
  // The version and the changelog can already be final.
  if (git("status", "--porcelain") !== "")
    git("commit", "--quiet", "--message", `release: set the version to ${version}`, "--", ...files.keys());
  git("tag", "--annotate", `v${version}`, "--cleanup=whitespace", "--file", join(OUTPUT, "notes.md"));
  print(`Tagged v${version}. Publish it with: git push --follow-tags`);
}

function buildCurrentAssets() {
  const { GITHUB_REF_NAME: tag = `v${current}` } = process.env;
  if (tag !== `v${current}`) throw new Error(`The tag is ${tag}, but package.json has version ${current}.`);
  buildAssets(current);
}

try {
  const { values, positionals } = parseArgs({
    options: { "dry-run": { type: "boolean" }, assets: { type: "boolean" } },
    allowPositionals: true,
  });
  if (values.assets) buildCurrentAssets();
  else release(positionals[0], values["dry-run"] ?? false);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
