import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findRunning, lock } from "./lock.ts";
import { startOf } from "./processes.ts";
import { StateDirectory } from "./state.ts";

let root: string;
let directory: StateDirectory;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "lk-lock-"));
  directory = new StateDirectory(join(root, "state"));
  directory.prepare();
});
afterEach(() => rmSync(root, { recursive: true }));

const claimOf = (pid: number, start = startOf(pid)) => `run.${pid}.${start}.pid`;
const claim = (name: string) => writeFileSync(directory.path(name), "");
const already = (pid: number) => `already running on ${directory.directory}: process ${pid}.`;

it("is held by one process, which can be found, until it is given back", () => {
  const unlock = lock(directory);
  expect(findRunning(directory)).toBe(process.pid);
  expect(() => lock(directory)).toThrow(already(process.pid));
  expect(directory.list()).toEqual([claimOf(process.pid)]);
  unlock();
  expect(findRunning(directory)).toBeUndefined();
  expect(directory.list()).toEqual([]);
});

it.each([
  ["a process that is gone", "run.999999999.1.pid"],
  ["an earlier process with our number", claimOf(process.pid, "1")],
  ["nobody", "run.pid"],
  ["nonsense", "run.x.y.pid"],
])("is not held by %s", (_, name) => {
  claim(name);
  expect(findRunning(directory)).toBeUndefined();
  lock(directory)();
  expect(findRunning(directory)).toBeUndefined();
});

it("is not held by one that was killed and that nobody has buried", async () => {
  // The shell becomes a program that never asks what became of its child.
  const parent = spawn("sh", ["-c", "sleep 0.2 & echo $!; exec sleep 60"]);
  const [line] = (await once(parent.stdout, "data")) as [Buffer];
  const child = Number(line.toString());
  const name = claimOf(child);
  claim(name);
  const deadline = Date.now() + 20_000;
  while (findRunning(directory) === child && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 50));
  expect(claimOf(child)).toBe(name);
  expect(findRunning(directory)).toBeUndefined();
  lock(directory)();
  parent.kill("SIGKILL");
});

it("is left to another that came meanwhile, over whatever a killed one left", () => {
  claim("run.999999999.1.pid");
  claim(claimOf(process.ppid));
  expect(() => lock(directory)).toThrow(already(process.ppid));
  expect(findRunning(directory)).toBe(process.ppid);
  expect(directory.list()).toContain(claimOf(process.ppid));
  expect(directory.list()).not.toContain(claimOf(process.pid));
});

it("looks only when others can see it: nobody who comes at the same time is missed", () => {
  const seen: string[][] = [];
  class Watched extends StateDirectory {
    override list(): string[] {
      seen.push(super.list());
      return super.list();
    }
  }
  lock(new Watched(directory.directory))();
  expect(seen.length).toBeGreaterThan(0);
  for (const names of seen) expect(names).toContain(claimOf(process.pid));
});
