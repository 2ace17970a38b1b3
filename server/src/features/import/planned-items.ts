/** The planned action for each item. */
import { isDeepStrictEqual } from "node:util";
import type { ConfigOverrides } from "@lightkeeper/contract";
import type { Problem, Kind } from "./document.ts";
import type { Item } from "./items.ts";

export type PlannedAction<Create, Change> =
  | { kind: "create"; values: Create }
  | { kind: "change"; id: string; properties: string[]; values: Change }
  | { kind: "unchanged" }
  | { kind: "reject"; problems: Problem[] };

export interface PlannedItem<K extends Kind, Create, Change> {
  item: Item<K>;
  action: PlannedAction<Create, Change>;
  /** The name of a host's network. */
  network?: string;
}

export const reject = (problems: Problem[]) => ({ kind: "reject", problems }) as const;

/** Returns the names of properties that change. */
export function differences(next: Record<string, unknown>, current: Record<string, unknown>): string[] {
  return Object.keys(next).filter((key) => !isDeepStrictEqual(next[key], current[key]));
}

/** The order of overrides has no meaning. */
export const sortedOverrides = (overrides: ConfigOverrides) =>
  overrides.toSorted((a, b) => Number(a.key > b.key) - Number(a.key < b.key));

/** Returns a check that rejects all but the first item with the same key. */
export function createDuplicateCheck<K extends Kind>(
  keyOf: (item: Item<K>) => string,
): (item: Item<K>) => Problem[] {
  const placeOf = new Map<string, string>();
  return (item) => {
    const earlier = placeOf.get(keyOf(item));
    if (earlier === undefined) {
      placeOf.set(keyOf(item), item.place);
      return [];
    }
    return [{ code: "ERR_DUPLICATE_VALUE", message: `is already defined at ${earlier}`, path: "name" }];
  };
}
