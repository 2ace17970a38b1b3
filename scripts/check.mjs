/** Runs the static checks: format, lint, types, unused code and generated tables. Stops at the first failure. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));

/** Workspaces with the same libraries are checked together, so that what they share is checked once. */
const projects = ["contract", "tsconfig.node.json", "web", "tsconfig.programs.json"];
const bin = (name) => `node_modules/.bin/${name}`;
const steps = [
  { name: "format", command: bin("oxfmt"), args: ["--check"] },
  { name: "lint", command: bin("oxlint"), args: ["--type-aware", "--deny-warnings"] },
  // More than one checker takes as long, and more CPU time.
  ...projects.map((project) => ({
    name: `types of ${project}`,
    command: bin("tsc"),
    args: ["-p", project, "--checkers", "1"],
  })),
  { name: "unused code and dependencies", command: bin("knip"), args: ["--no-progress"] },
  {
    name: "generated tables",
    command: process.execPath,
    args: ["scripts/generate-configuration.mjs", "--check"],
  },
];

for (const { name, command, args } of steps) {
  const { status } = spawnSync(command, args, { stdio: "inherit" });
  if (status !== 0) {
    process.stderr.write(`\ncheck: ${name} failed\n`);
    process.exit(1);
  }
}
process.stdout.write("check: clean\n");
