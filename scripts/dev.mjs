/** Runs the server and the console with reload on change. The console's dev server proxies the API. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { context } from "esbuild";
import { createServer } from "vite";
import { serverBuild } from "./build.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const server = await context({
  ...serverBuild("dev"),
  plugins: [{ name: "restart", setup: (build) => build.onEnd(restart) }],
});
let running;

function restart({ errors }) {
  if (errors.length > 0) return;
  const start = () =>
    (running = spawn(process.execPath, ["server/dist/main.js", "serve"], { cwd: root, stdio: "inherit" }));
  if (running?.exitCode === null) running.once("exit", start).kill("SIGTERM");
  else start();
}

await server.watch();
const console = await createServer({ root: `${root}web`, configFile: `${root}web/vite.config.ts` });
await console.listen();
console.printUrls();
