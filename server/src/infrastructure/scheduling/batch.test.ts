import { setImmediate as nextTurn } from "node:timers/promises";
import { DatabaseError } from "pg";
import { expect, it } from "vitest";
import { createBatch, createBatchPerKey } from "./batch.ts";
import { currentWork, runAs } from "./work-class.ts";

/** Doubles numbers in batches; each batch waits until finishBatch is called. */
function createDoubling(max = 10) {
  const batches: number[][] = [];
  const waiting: (() => void)[] = [];
  const double = createBatch({
    max,
    keyOf: String,
    isItemError: (error) => (error as Error).message === "rejected",
    work: async (items: number[]) => {
      batches.push(items);
      await new Promise<void>((resolve) => waiting.push(resolve));
      const invalidData = new DatabaseError("unfit", 0, "error");
      invalidData.code = "22P05";
      if (items.includes(13)) throw invalidData;
      if (items.includes(14)) throw new Error("rejected");
      if (items.includes(0)) throw new Error("gone");
      return items.map((item) => item * 2);
    },
  });
  const finishBatch = async () => {
    waiting.shift()?.();
    // The results arrive in the first turn, and the next batch starts in the second.
    await nextTurn();
    await nextTurn();
  };
  return { double, batches, finishBatch };
}

it("runs the first call immediately, and calls that arrive meanwhile together", async () => {
  const { double, batches, finishBatch } = createDoubling();
  const results = [1, 2, 3].map((item) => double(item));
  expect(batches).toEqual([[1]]);
  await finishBatch();
  expect(batches).toEqual([[1], [2, 3]]);
  await finishBatch();
  expect(await Promise.all(results)).toEqual([2, 4, 6]);
});

it("adds calls that arrive in the turn in which a batch ends to the next", async () => {
  const { double, batches, finishBatch } = createDoubling();
  const first = double(1);
  const results = [first, double(2), first.then(() => double(3))];
  await finishBatch();
  expect(batches).toEqual([[1], [2, 3]]);
  await finishBatch();
  expect(await Promise.all(results)).toEqual([2, 4, 6]);
});

it("limits the size of a batch, and separates items with the same key", async () => {
  const { double, batches, finishBatch } = createDoubling(2);
  const results = [1, 5, 5, 6, 7].map((item) => double(item));
  for (let round = 0; round < 4; round++) await finishBatch();
  expect(batches).toEqual([[1], [5, 6], [5, 7]]);
  expect(await Promise.all(results)).toEqual([2, 10, 10, 12, 14]);
});

it.each([
  ["with invalid data", 13],
  ["that is rejected", 14],
])("does not fail other items because of an item %s", async (_reason, failing) => {
  const { double, batches, finishBatch } = createDoubling();
  const results = [1, 2, failing, 3].map((item) => double(item));
  const settled = Promise.allSettled(results);
  for (let round = 0; round < 5; round++) await finishBatch();
  expect(batches).toEqual([[1], [2, failing, 3], [2], [failing], [3]]);
  expect((await settled).map(({ status }) => status)).toEqual([
    "fulfilled",
    "fulfilled",
    "rejected",
    "fulfilled",
  ]);
});

it("fails the whole batch when the database is unavailable, and continues with the next", async () => {
  const { double, finishBatch } = createDoubling();
  const settled = Promise.allSettled([1, 0, 2].map((item) => double(item)));
  for (let round = 0; round < 2; round++) await finishBatch();
  expect((await settled).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
  const next = double(4);
  await finishBatch();
  expect(await next).toBe(8);
});

it("starts batches some time apart, the first one immediately", async () => {
  const spacingMs = 200;
  const batches: { items: number[]; startedAt: number }[] = [];
  const add = createBatch({
    max: 10,
    spacingMs,
    work: async (items: number[]) => {
      batches.push({ items, startedAt: performance.now() });
      return items;
    },
  });
  const first = add(1);
  expect(batches.map(({ items }) => items)).toEqual([[1]]);
  await first;
  await Promise.all([2, 3].map((item) => add(item)));
  expect(batches.map(({ items }) => items)).toEqual([[1], [2, 3]]);
  // Timers may fire a millisecond early.
  expect(batches[1]!.startedAt - batches[0]!.startedAt).toBeGreaterThan(spacingMs - 2);
});

it("runs the batches of different keys at the same time, for whom each was started", async () => {
  const started: [number[], string][] = [];
  const finish: (() => void)[] = [];
  const double = createBatchPerKey<number, number>((item) => (item % 2 === 0 ? "even" : "odd"), {
    max: 10,
    work: async (items) => {
      started.push([items, currentWork().workClass]);
      await new Promise<void>((resolve) => finish.push(resolve));
      return items.map((item) => item * 2);
    },
  });
  const even = runAs("org-even", () => [2, 4, 6].map(double));
  const odd = runAs("org-odd", () => [1].map(double));
  expect(started).toEqual([
    [[2], "org-even"],
    [[1], "org-odd"],
  ]);
  finish.splice(0).forEach((resolve) => resolve());
  await expect.poll(() => started.length).toBe(3);
  expect(started[2]).toEqual([[4, 6], "org-even"]);
  finish.splice(0).forEach((resolve) => resolve());
  expect(await Promise.all([...even, ...odd])).toEqual([4, 8, 12, 2]);
});
