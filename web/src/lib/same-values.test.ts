import { expect, it } from "vitest";
import { areSame } from "./same-values.ts";

it.each([
  [
    { a: 1, b: [1, { c: null }] },
    { b: [1, { c: null }], a: 1 },
  ],
  [[], []],
  [Number.NaN, Number.NaN],
])("treats %j and %j as equal", (one, other) => {
  expect(areSame(one, other)).toBe(true);
});

it.each([
  [{ a: 1 }, { a: 2 }],
  [{ a: 1 }, { a: 1, b: undefined }],
  [{ a: undefined }, { b: undefined }],
  [
    [1, 2],
    [2, 1],
  ],
  [[], {}],
  [null, {}],
  ["1", 1],
])("treats %j and %j as different", (one, other) => {
  expect(areSame(one, other)).toBe(false);
  expect(areSame(other, one)).toBe(false);
});
