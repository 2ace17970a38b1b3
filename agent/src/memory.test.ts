import { execFileSync } from "node:child_process";
import { nodeFlagsOf } from "@lightkeeper/contract/agent-launcher";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { IdleMemory } from "./memory.ts";

const collect = vi.fn<() => void>();
beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("gc", collect);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  collect.mockClear();
});

it("collects garbage after a time without activity", () => {
  const memory = new IdleMemory();
  for (let activities = 0; activities < 3; activities += 1) {
    memory.releaseLater();
    vi.advanceTimersByTime(9000);
  }
  expect(collect).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1000);
  expect(collect).toHaveBeenCalled();
});

it("collects nothing after it was stopped", () => {
  const memory = new IdleMemory();
  memory.releaseLater();
  memory.stop();
  vi.advanceTimersByTime(60_000);
  expect(collect).not.toHaveBeenCalled();
});

it("can collect garbage with the flags that hosts run the agent with", () => {
  const flags = nodeFlagsOf(process.versions.node);
  const output = execFileSync(process.execPath, [...flags, "-p", "typeof gc"], { encoding: "utf8" });
  expect(output.trim()).toBe("function");
});
