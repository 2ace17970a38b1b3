/**
 * Combines single calls into batches: the first call runs immediately, and calls that arrive in the meantime run
 * together in the next round.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { DatabaseError } from "pg";
import { currentWork, runAs, SYSTEM } from "./work-class.ts";

/** For messages of agents: thousands of agents send hundreds a second. */
export const AGENT_SPACING_MS = 20;

export interface BatchOptions<Item, Result> {
  /** Results in the order of the items. */
  work: (items: Item[]) => Promise<Result[]>;
  /** Items with the same key run in different rounds. Not needed for reads. */
  keyOf?: (item: Item) => string;
  /** Whether an error, besides invalid data, may concern only some items of a round, which then run one by one. */
  isItemError?: (error: unknown) => boolean;
  /** For whom the work is done. */
  workClass?: string;
  max: number;
  /** Rounds start at least this far apart: a few large ones cost less than many small ones. */
  spacingMs?: number;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** SQLSTATE class 22. */
const isDataError = (error: unknown) =>
  error instanceof DatabaseError && error.code?.startsWith("22") === true;

/** Removes the items of the next round. */
function takeRound<Item, Result>(
  waiting: Waiting<Item, Result>[],
  max: number,
  keyOf: BatchOptions<Item, Result>["keyOf"],
): Waiting<Item, Result>[] {
  if (!keyOf) return waiting.splice(0, max);
  const round = new Map<string, Waiting<Item, Result>>();
  for (const call of waiting.splice(0)) {
    const key = keyOf(call.item);
    if (round.size < max && !round.has(key)) round.set(key, call);
    else waiting.push(call);
  }
  return [...round.values()];
}

export function createBatch<Item, Result>({
  work,
  keyOf,
  isItemError = () => false,
  workClass = SYSTEM,
  max,
  spacingMs = 0,
}: BatchOptions<Item, Result>) {
  const waiting: Waiting<Item, Result>[] = [];
  let isRunning = false;
  let nextStartAt = 0;

  async function run(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) {
      const earlyMs = nextStartAt - performance.now();
      if (earlyMs > 0) await sleep(earlyMs);
      nextStartAt = performance.now() + spacingMs;
      const round = takeRound(waiting, max, keyOf);
      try {
        const results = await work(round.map(({ item }) => item));
        round.forEach(({ resolve }, index) => resolve(results[index] as Result));
      } catch (error) {
        // One item must not fail the others.
        if (round.length > 1 && (isDataError(error) || isItemError(error)))
          await Promise.all(round.map((call) => runAlone(work, call)));
        else for (const { reject } of round) reject(error);
      }
      // Calls that arrive in the same turn join the next round.
      if (waiting.length > 0) await nextTurn();
    }
    isRunning = false;
  }

  return (item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isRunning) void runAs(workClass, run);
    });
}

async function runAlone<Item, Result>(
  work: BatchOptions<Item, Result>["work"],
  { item, resolve, reject }: Waiting<Item, Result>,
): Promise<void> {
  await work([item]).then(([result]) => resolve(result as Result), reject);
}

/** Like `createBatch`, with batches of its own for each key. They run at the same time. */
export function createBatchPerKey<Item, Result>(
  batchOf: (item: Item) => string,
  options: Omit<BatchOptions<Item, Result>, "workClass" | "spacingMs">,
) {
  const batches = new Map<string, { count: number; add: (item: Item) => Promise<Result> }>();
  const create = () => ({
    count: 0,
    add: createBatch({ ...options, workClass: currentWork().workClass }),
  });

  return async (item: Item): Promise<Result> => {
    const key = batchOf(item);
    const batch = batches.get(key) ?? create();
    batches.set(key, batch);
    batch.count += 1;
    try {
      return await batch.add(item);
    } finally {
      batch.count -= 1;
      if (batch.count === 0) batches.delete(key);
    }
  };
}
