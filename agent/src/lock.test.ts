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

it("is held by one process, which can be found, until it is given back", () => {
  const unlock = lock(directory);
  expect(findRunning(directory)).toBe(process.pid);
  expect(() => lock(directory)).toThrow(`already running on ${directory.directory}: process ${process.pid}.`);
  expect(directory.list()).toEqual(["run.pid"]);
  unlock();
  expect(findRunning(directory)).toBeUndefined();
  expect(directory.list()).toEqual([]);
});

it.each([
  ["a process that is gone", "999999999 1"],
  ["an earlier process with our number", `${process.pid} 1`],
  ["nobody", ""],
  ["nonsense", "x y z"],
])("is not held by %s", (_, holder) => {
  writeFileSync(directory.path("run.pid"), holder);
  expect(findRunning(directory)).toBeUndefined();
  lock(directory)();
  expect(directory.list()).toEqual([]);
});

it("is not given back by another", () => {
  const unlock = lock(directory);
  const other = `${process.ppid} ${startOf(process.ppid)}`;
  writeFileSync(directory.path("run.pid"), other);
  unlock();
  expect(findRunning(directory)).toBe(process.ppid);
});
