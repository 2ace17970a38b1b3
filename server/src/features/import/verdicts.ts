/** What is to become of each thing, and the means to come to that. */
import { isDeepStrictEqual } from "node:util";
import type { ConfigOverrides } from "@lightkeeper/contract";
import type { Problem, Kind } from "./document.ts";
import type { Thing } from "./things.ts";

export type Verdict<Make, Change> =
  | { kind: "create"; work: Make }
  | { kind: "change"; id: string; properties: string[]; work: Change }
  | { kind: "unchanged" }
  | { kind: "refuse"; faults: Problem[] };

export interface Judged<K extends Kind, Make, Change> {
  thing: Thing<K>;
  verdict: Verdict<Make, Change>;
  /** Of a host: the name of its network. */
  network?: string;
}

export const refuse = (faults: Problem[]) => ({ kind: "refuse", faults }) as const;

/** Which properties are not to stay as they are. */
export function differences(next: Record<string, unknown>, current: Record<string, unknown>): string[] {
  return Object.keys(next).filter((key) => !isDeepStrictEqual(next[key], current[key]));
}

/** In which order overrides stand means nothing. */
export const sortedOverrides = (overrides: ConfigOverrides) =>
  overrides.toSorted((a, b) => Number(a.key > b.key) - Number(a.key < b.key));

/** Every thing but the first of one key is refused. */
export function refuseTwice<K extends Kind>(
  keyOf: (thing: Thing<K>) => string,
): (thing: Thing<K>) => Problem[] {
  const placeOf = new Map<string, string>();
  return (thing) => {
    const earlier = placeOf.get(keyOf(thing));
    if (earlier === undefined) {
      placeOf.set(keyOf(thing), thing.place);
      return [];
    }
    return [{ code: "ERR_DUPLICATE_VALUE", message: `stands already at ${earlier}`, path: "name" }];
  };
}
