/** Builds the lab and runs it with the given arguments. */
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { serverBuild } from "./build.mjs";
import { keepSourceDirectories } from "./source-directories.mjs";

const cache = fileURLToPath(new URL("../.cache", import.meta.url));
const outdir = `${cache}/lab`;
mkdirSync(outdir, { recursive: true });
const server = serverBuild("lab");
await build({
  ...server,
  entryPoints: { ...server.entryPoints, main: "demo/src/lab/main.ts" },
  outdir,
  plugins: [keepSourceDirectories],
});
process.env.NODE_ENV ??= "production";
process.setSourceMapsEnabled(true);
process.argv.splice(2, 0, cache);
await import(`${outdir}/main.js`);
