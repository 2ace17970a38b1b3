/** Builds and runs the failover story: several servers on a database that fails over. */
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { serverBuild } from "./build.mjs";
import { keepSourceDirectories } from "./source-directories.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const outdir = `${root}.cache/failover`;
mkdirSync(outdir, { recursive: true });
await build({
  ...serverBuild("failover"),
  entryPoints: { main: "e2e/src/failover/main.ts" },
  outdir,
  plugins: [keepSourceDirectories],
});
process.setSourceMapsEnabled(true);
await import(`${outdir}/main.js`);
