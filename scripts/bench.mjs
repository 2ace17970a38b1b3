/** Builds the benchmarks and runs them all, or those named. */
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { serverBuild } from "./build.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const outfile = `${root}.cache/bench/main.mjs`;
mkdirSync(`${root}.cache/bench`, { recursive: true });
await build({ ...serverBuild("bench"), entryPoints: ["bench/src/main.ts"], outfile });
process.env.NODE_ENV ??= "production";
process.setSourceMapsEnabled(true);
await import(outfile);
