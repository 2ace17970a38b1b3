import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findRunning, lock } from "./lock.ts";
import { startTimeOf } from "./processes.ts";
import { StateDirectory } from "./state.ts";

let root: string;
let directory: StateDirectory;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "lk-lock-"));
  directory = new StateDirectory(join(root, "state"));
  directory.prepare();
});
afterEach(() => rmSync(root, { recursive: true }));

const claimFileOf = (pid: number, start = startTimeOf(pid)) => `run.${pid}.${start}.pid`;
const claim = (name: string) => writeFileSync(directory.path(name), "");
const alreadyRunning = (pid: number) => `already running on ${directory.directory} (process ${pid}).`;

it("a lock belongs to one process, which can be found, until it is unlocked", () => {
  const unlock = lock(directory);
  expect(findRunning(directory)).toBe(process.pid);
  expect(() => lock(directory)).toThrow(alreadyRunning(process.pid));
  expect(directory.list()).toEqual([claimFileOf(process.pid)]);
  unlock();
  expect(findRunning(directory)).toBeUndefined();
  expect(directory.list()).toEqual([]);
});

it.each([
  ["a process that has exited", "run.999999999.1.pid"],
  ["an earlier process with the same ID", claimFileOf(process.pid, "1")],
  ["no process", "run.pid"],
  ["an invalid claim", "run.x.y.pid"],
])("a lock does not belong to %s", (_, name) => {
  claim(name);
  expect(findRunning(directory)).toBeUndefined();
  lock(directory)();
  expect(findRunning(directory)).toBeUndefined();
});

it("a lock does not belong to a zombie process", async () => {
  // The shell is replaced by a program that never waits for its child, which becomes a zombie.
  const parent = spawn("sh", ["-c", "sleep 0.2 & echo $!; exec sleep 60"]);
  const [line] = (await once(parent.stdout, "data")) as [Buffer];
  const child = Number(line.toString());
  const name = claimFileOf(child);
  claim(name);
  const deadline = Date.now() + 20_000;
  while (findRunning(directory) === child && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 50));
  expect(claimFileOf(child)).toBe(name);
  expect(findRunning(directory)).toBeUndefined();
  lock(directory)();
  parent.kill("SIGKILL");
});

it("a lock is not taken from a running process, but claims of killed processes are ignored", () => {
  claim("run.999999999.1.pid");
  claim(claimFileOf(process.ppid));
  expect(() => lock(directory)).toThrow(alreadyRunning(process.ppid));
  expect(findRunning(directory)).toBe(process.ppid);
  expect(directory.list()).toContain(claimFileOf(process.ppid));
  expect(directory.list()).not.toContain(claimFileOf(process.pid));
});

it("a process looks for other processes only after writing its own claim", () => {
  const listings: string[][] = [];
  class RecordingDirectory extends StateDirectory {
    override list(): string[] {
      listings.push(super.list());
      return super.list();
    }
  }
  lock(new RecordingDirectory(directory.directory))();
  expect(listings.length).toBeGreaterThan(0);
  for (const names of listings) expect(names).toContain(claimFileOf(process.pid));
});
