/** Builds the benchmarks and runs the given ones, or all. */
import { mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { serverBuild } from "./build.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const outdir = `${root}.cache/bench`;
mkdirSync(outdir, { recursive: true });
/** Replaces import.meta.dirname with the source file's directory, because everything is bundled into one file. */
const sourceDirectories = {
  name: "source-directories",
  setup({ onLoad }) {
    onLoad({ filter: /\/(e2e|scripts)\/.*\.m?[jt]s$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replaceAll("import.meta.dirname", JSON.stringify(dirname(path))),
      loader: path.endsWith(".ts") ? "ts" : "js",
    }));
  },
};
const server = serverBuild("bench");
await build({
  ...server,
  entryPoints: { ...server.entryPoints, main: "bench/src/main.ts" },
  outdir,
  plugins: [sourceDirectories],
});
process.env.NODE_ENV ??= "production";
process.setSourceMapsEnabled(true);
await import(`${outdir}/main.js`);
