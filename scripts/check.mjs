/** Format, lint with import walls, types, unused code and dependencies. Prints what fails and stops. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));

const rooms = ["contract", "nebula", "postgres", "server", "web", "agent", "e2e", "bench"];
const steps = [
  { what: "format", command: "prettier", args: ["--check", "--log-level", "warn", "."] },
  { what: "lint", command: "oxlint", args: ["--type-aware", "--deny-warnings"] },
  ...rooms.map((room) => ({ what: `types of ${room}`, command: "tsc", args: ["-p", room] })),
  { what: "unused code and dependencies", command: "knip", args: ["--no-progress"] },
];

for (const { what, command, args } of steps) {
  const { status } = spawnSync(`node_modules/.bin/${command}`, args, { stdio: "inherit" });
  if (status !== 0) {
    process.stderr.write(`\ncheck: ${what} failed\n`);
    process.exit(1);
  }
}
process.stdout.write("check: clean\n");
