import { DatabaseError } from "pg";
import { expect, it } from "vitest";
import { createBatch } from "./batch.ts";

/** Doubles numbers, a round at a time, each when it is let go. */
function createDoubling(max = 10) {
  const rounds: number[][] = [];
  const waiting: (() => void)[] = [];
  const double = createBatch({
    max,
    keyOf: String,
    work: async (items: number[]) => {
      rounds.push(items);
      await new Promise<void>((resolve) => waiting.push(resolve));
      const unfit = new DatabaseError("unfit", 0, "error");
      unfit.code = "22P05";
      if (items.includes(13)) throw unfit;
      if (items.includes(0)) throw new Error("gone");
      return items.map((item) => item * 2);
    },
  });
  const letGo = async () => {
    waiting.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { double, rounds, letGo };
}

it("runs the first call immediately, and those that arrive meanwhile together", async () => {
  const { double, rounds, letGo } = createDoubling();
  const results = [1, 2, 3].map((item) => double(item));
  expect(rounds).toEqual([[1]]);
  await letGo();
  expect(rounds).toEqual([[1], [2, 3]]);
  await letGo();
  expect(await Promise.all(results)).toEqual([2, 4, 6]);
});

it("limits the size of a round, and separates items with the same key", async () => {
  const { double, rounds, letGo } = createDoubling(2);
  const results = [1, 5, 5, 6, 7].map((item) => double(item));
  for (let round = 0; round < 4; round++) await letGo();
  expect(rounds).toEqual([[1], [5, 6], [5, 7]]);
  expect(await Promise.all(results)).toEqual([2, 10, 10, 12, 14]);
});

it("does not fail other items because of invalid data in one", async () => {
  const { double, rounds, letGo } = createDoubling();
  const results = [1, 2, 13, 3].map((item) => double(item));
  const settled = Promise.allSettled(results);
  for (let round = 0; round < 5; round++) await letGo();
  expect(rounds).toEqual([[1], [2, 13, 3], [2], [13], [3]]);
  expect((await settled).map(({ status }) => status)).toEqual([
    "fulfilled",
    "fulfilled",
    "rejected",
    "fulfilled",
  ]);
});

it("fails the whole round when the database is unavailable, and continues with the next", async () => {
  const { double, letGo } = createDoubling();
  const settled = Promise.allSettled([1, 0, 2].map((item) => double(item)));
  for (let round = 0; round < 2; round++) await letGo();
  expect((await settled).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
  const next = double(4);
  await letGo();
  expect(await next).toBe(8);
});
