/**
 * Does together what is asked one by one: the first is done at once, and whoever comes meanwhile is in the next
 * round with all the others. The busier it gets, the less each costs; nobody waits for company.
 */
import { DatabaseError } from "pg";
import { runAs, SYSTEM } from "./work-class.ts";

export interface BatchOptions<Item, Result> {
  /** Results in the order of the items. */
  work: (items: Item[]) => Promise<Result[]>;
  /** Two items with the same key are never in one round. Work that changes nothing needs no key. */
  keyOf?: (item: Item) => string;
  max: number;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** SQLSTATE class 22. */
const isAboutData = (error: unknown) =>
  error instanceof DatabaseError && error.code?.startsWith("22") === true;

export function createBatch<Item, Result>({ work, keyOf, max }: BatchOptions<Item, Result>) {
  let waiting: Waiting<Item, Result>[] = [];
  let isRunning = false;

  function takeRound(): Waiting<Item, Result>[] {
    if (!keyOf) return waiting.splice(0, max);
    const round = new Map<string, Waiting<Item, Result>>();
    const left: Waiting<Item, Result>[] = [];
    for (const one of waiting) {
      const key = keyOf(one.item);
      if (round.size < max && !round.has(key)) round.set(key, one);
      else left.push(one);
    }
    waiting = left;
    return [...round.values()];
  }

  async function run(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) {
      const round = takeRound();
      try {
        const results = await work(round.map(({ item }) => item));
        round.forEach(({ resolve }, index) => resolve(results[index] as Result));
      } catch (error) {
        // What one of them holds that the database cannot take is not the others' misfortune.
        if (round.length > 1 && isAboutData(error)) await Promise.all(round.map(alone));
        else for (const { reject } of round) reject(error);
      }
    }
    isRunning = false;
  }

  async function alone({ item, resolve, reject }: Waiting<Item, Result>): Promise<void> {
    await work([item]).then(([result]) => resolve(result as Result), reject);
  }

  return (item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isRunning) void runAs(SYSTEM, run);
    });
}
