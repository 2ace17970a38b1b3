/** How the fields of the API are described. Only the OpenAPI document contains this, so that browsers don't load it. */

/** A description, and a value for examples. Without one, examples contain a value that the schema implies. */
export type Field = readonly [description: string, example?: unknown];

/** By the name of the field, or by `parent.name` if the name alone means something else there. */
export type FieldTable = Readonly<Record<string, Field>>;

/** For optional fields that most responses don't have. */
export const OMITTED = Symbol("omitted");

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const ID_CHARACTERS = 26;

/** An ID that looks random but is the same in every example. `position` tells several objects of a kind apart. */
export function exampleID(prefix: string, position = 1): string {
  let state =
    Array.from(prefix).reduce((sum, character) => sum * 31 + character.charCodeAt(0), position * 7) %
    2147483647;
  const characters = Array.from({ length: ID_CHARACTERS }, () => {
    state = (state * 48271) % 2147483647;
    return BASE32[state % BASE32.length];
  });
  return `${prefix}-${characters.join("")}`;
}

export const times = {
  created: "2026-01-12T09:30:00Z",
  modified: "2026-03-02T14:05:00Z",
  recent: "2026-03-09T08:00:00Z",
  soon: "2026-03-16T08:00:00Z",
  later: "2027-01-12T09:30:00Z",
} as const;
