/** Builds the benchmarks and runs them all, or those named. */
import { mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { serverBuild } from "./build.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const outdir = `${root}.cache/bench`;
mkdirSync(outdir, { recursive: true });
/** In one file with all others, each still finds what lies beside it. */
const ownPlaces = {
  name: "own-places",
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
  plugins: [ownPlaces],
});
process.env.NODE_ENV ??= "production";
process.setSourceMapsEnabled(true);
await import(`${outdir}/main.js`);
