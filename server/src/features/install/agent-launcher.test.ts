import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launcherOf, nodeFlagsOf } from "@lightkeeper/contract/agent-launcher";

const BUNDLE = "/opt/agent.mjs";
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lk-launcher-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a launcher with a program that has a version of Node.js and prints its arguments. */
function runWith(version: string): string[] {
  const [node, launcher] = [join(folder, "node"), join(folder, "agent")];
  writeFileSync(node, `#!/bin/sh\n[ "$1" = -v ] && echo v${version} || printf '%s\\n' "$@"\n`, {
    mode: 0o755,
  });
  writeFileSync(launcher, launcherOf({ node, bundle: BUNDLE }), { mode: 0o755 });
  return execFileSync(launcher, ["enroll", "--name", "a b"], { encoding: "utf8" }).trimEnd().split("\n");
}

it.each(["20.19.0", "22.23.3", "24.0.0", "26.10.0"])(
  "runs the agent's bundle with the flags for Node.js %s",
  (version) => {
    expect(runWith(version)).toEqual([...nodeFlagsOf(version), BUNDLE, "enroll", "--name", "a b"]);
  },
);

it("disables WebAssembly explicitly only where Node.js accepts the flag", () => {
  expect(nodeFlagsOf("23.11.1")).toContain("--no-expose-wasm");
  expect(nodeFlagsOf("24.0.0")).not.toContain("--no-expose-wasm");
});

it("prints no warning with this version of Node.js", () => {
  const launcher = join(folder, "real");
  writeFileSync(launcher, launcherOf({ node: process.execPath, bundle: "-p" }), { mode: 0o755 });
  expect(execFileSync("sh", ["-c", `${launcher} 'typeof gc' 2>&1`], { encoding: "utf8" })).toBe("function\n");
});
