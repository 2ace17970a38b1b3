/** Runs the server in this process, so that it gets Ctrl-C only once. */
import { spawn } from "node:child_process";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";

process.argv.push("serve");
process.env.NODE_ENV ??= "production";
process.setSourceMapsEnabled(true);
await import("../server/dist/main.js");
buildAgentExecutables();

/** The server is ready and doesn't need the executables, which take a minute. It reads how the build is going. */
function buildAgentExecutables() {
  const script = fileURLToPath(new URL("build-agent.mjs", import.meta.url));
  const child = spawn(process.execPath, [script, "--background"], { stdio: "ignore" });
  child.once("spawn", () => setPriority(child.pid, constants.priority.PRIORITY_LOW));
  // Without a process, /downloads offers what was built before.
  child.once("error", () => undefined);
  child.unref();
  process.once("exit", () => child.kill());
}
