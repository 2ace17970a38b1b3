import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { buildIfChanged } from "./agent-build-state.mjs";

let directory: string;
let builds: number;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "lightkeeper-agent-build-"));
  builds = 0;
  writeFileSync(join(directory, "bundle"), "one");
});
afterEach(() => rmSync(directory, { recursive: true }));

const executable = () => join(directory, "executable");
const recorded = () => JSON.parse(readFileSync(join(directory, "executables.json"), "utf8")) as object;
const run = (options: { tools?: string; isForced?: boolean; build?: () => Promise<void> } = {}) =>
  buildIfChanged({
    directory,
    bundle: join(directory, "bundle"),
    files: [executable()],
    tools: "22",
    build: async () => {
      expect(recorded()).toEqual({ state: "building" });
      builds++;
      writeFileSync(executable(), "built");
    },
    ...options,
  });

it("builds once, and again only if something has changed", async () => {
  await run();
  await run();
  expect(builds).toBe(1);
  expect(recorded()).toMatchObject({ state: "built" });
  writeFileSync(join(directory, "bundle"), "two");
  await run();
  expect(builds).toBe(2);
  await run({ tools: "24" });
  expect(builds).toBe(3);
  rmSync(executable());
  await run({ tools: "24" });
  expect(builds).toBe(4);
  await run({ tools: "24", isForced: true });
  expect(builds).toBe(5);
});

it("records why a build failed, and tries again the next time", async () => {
  const failed = run({ build: () => Promise.reject(new Error("no network")) });
  await expect(failed).rejects.toThrow("no network");
  expect(recorded()).toEqual({ state: "failed", reason: "no network" });
  await run();
  expect(recorded()).toMatchObject({ state: "built" });
});

it("completes builds that run at the same time", async () => {
  const build = () => Promise.resolve(writeFileSync(executable(), "built"));
  await Promise.all(Array.from({ length: 5 }, () => run({ build })));
  expect(recorded()).toMatchObject({ state: "built" });
  expect(readdirSync(directory).sort()).toEqual(["bundle", "executable", "executables.json"]);
});

it("builds again after it was interrupted", async () => {
  writeFileSync(join(directory, "executables.json"), '{"state":"building"}');
  await run();
  expect(builds).toBe(1);
});
