/** Builds the benchmarks and runs the given ones, or all. */
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildRecordedExecutables } from "./build-agent.mjs";
import { serverBuild } from "./build.mjs";
import { keepSourceDirectories } from "./source-directories.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const outdir = `${root}.cache/bench`;
mkdirSync(outdir, { recursive: true });
const server = serverBuild("bench");
await build({
  ...server,
  entryPoints: { ...server.entryPoints, main: "bench/src/main.ts" },
  outdir,
  plugins: [keepSourceDirectories],
});
// The first server would build them, which takes a minute, while it is measured.
await buildRecordedExecutables({ isForced: false });
process.env.NODE_ENV ??= "production";
process.setSourceMapsEnabled(true);
await import(`${outdir}/main.js`);
