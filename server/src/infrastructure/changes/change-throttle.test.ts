import type { Change } from "@lightkeeper/contract";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { throttleChanges, type ChangeThrottle } from "./change-throttle.ts";

let passed: Change[];
let gathered: ChangeThrottle<Change>;
beforeEach(() => {
  vi.useFakeTimers();
  passed = [];
  gathered = throttleChanges((change) => passed.push(change));
});
afterEach(() => void vi.useRealTimers());

const host = (id: string, networkID = "here"): Change => ({ noun: "hosts", id, networkID });

it("forwards the first change immediately", () => {
  gathered.add(host("one"));
  expect(passed).toEqual([host("one")]);
});

it("merges ten thousand changes of a window into a single change with only their network", () => {
  for (let n = 0; n < 10_000; n++) gathered.add(host(`host ${n}`));
  vi.advanceTimersByTime(399);
  expect(passed).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(passed).toEqual([host("host 0"), { noun: "hosts", networkID: "here" }]);
  vi.advanceTimersByTime(10_000);
  expect(passed).toHaveLength(2);
});

it("keeps the ID if a single object changes repeatedly", () => {
  for (let n = 0; n < 3; n++) gathered.add(host("one"));
  vi.advanceTimersByTime(400);
  expect(passed).toEqual([host("one"), host("one")]);
});

it("forwards one change per window", () => {
  for (let ms = 0; ms < 2000; ms += 10) {
    gathered.add(host("one"));
    vi.advanceTimersByTime(10);
  }
  expect(passed).toHaveLength(6);
});

it("throttles nouns and networks independently", () => {
  gathered.add(host("one"));
  gathered.add(host("two", "there"));
  gathered.add({ noun: "roles" });
  expect(passed).toEqual([host("one"), host("two", "there"), { noun: "roles" }]);
});

it("forwards nothing after it is stopped", () => {
  gathered.add(host("one"));
  gathered.add(host("two"));
  gathered.stop();
  gathered.add(host("three"));
  vi.advanceTimersByTime(5000);
  expect(passed).toEqual([host("one")]);
  expect(vi.getTimerCount()).toBe(0);
});
