import { expect, it } from "vitest";
import { createTurns } from "./turns.ts";

const MANY = 60;
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** So many that fetch, each until it is let go. */
function fetchMany(turns: ReturnType<typeof createTurns>, count: number) {
  const ends: (() => void)[] = [];
  const all = Array.from({ length: count }, () =>
    turns.first(() => new Promise<void>((end) => ends.push(end))),
  );
  return { end: (howMany: number) => ends.splice(0, howMany).forEach((end) => end()), all: Promise.all(all) };
}

/** The numbers of those that were let in so far. */
function letInOf(turns: ReturnType<typeof createTurns>, count: number): number[] {
  const entered: number[] = [];
  for (let number = 0; number < count; number++) void turns.later().then(() => entered.push(number));
  return entered;
}

it("nobody waits while few are fetching", async () => {
  const turns = createTurns();
  fetchMany(turns, 10);
  await turns.later();
  expect(await turns.first(async () => "its answer")).toBe("its answer");
});

it("while many are fetching the others wait, and are then let in, in the order they came", async () => {
  const turns = createTurns();
  const fetching = fetchMany(turns, MANY);
  const entered = letInOf(turns, 3);
  await turn();
  expect(entered).toEqual([]);
  fetching.end(MANY);
  await fetching.all;
  await turn();
  expect(entered).toEqual([0, 1, 2]);
});

it("they are let in some at a time, so that those who fetch meanwhile come before the rest", async () => {
  const turns = createTurns();
  const fetching = fetchMany(turns, MANY);
  const entered = letInOf(turns, 250);
  fetching.end(MANY);
  await fetching.all;
  await turn();
  expect(entered).toHaveLength(100);
  const next = fetchMany(turns, MANY);
  await turn();
  await turn();
  expect(entered).toHaveLength(100);
  next.end(MANY);
  await next.all;
  for (let round = 0; round < 3; round++) await turn();
  expect(entered).toHaveLength(250);
});

it("nobody waits for ever, and one that fails counts no longer", async () => {
  const turns = createTurns(20);
  fetchMany(turns, MANY);
  await turns.later();
  const fresh = createTurns();
  const failing = Array.from({ length: MANY }, () =>
    fresh.first(async () => {
      throw new Error("refused");
    }),
  );
  await Promise.allSettled(failing);
  await fresh.later();
  await expect(failing[0]).rejects.toThrow("refused");
});
