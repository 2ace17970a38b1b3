import { expect, it } from "vitest";
import { foundOptions, searchOf } from "./picker-options.ts";

const toOption = (name: string) => ({ value: name, label: name });
const answer = (names: string[], isPlaceholderData = false) => ({
  data: { data: names },
  error: null,
  isPlaceholderData,
});

it("shows what was found", () => {
  expect(foundOptions(answer(["b", "a"]), "x", toOption).options).toEqual([toOption("b"), toOption("a")]);
});

it("never shows options that don't match while loading", () => {
  const { options } = foundOptions(answer(["Prod", "Staging"], true), " PRO", toOption);
  expect(options).toEqual([toOption("Prod")]);
  expect(foundOptions(answer(["Staging"], true), "pro", toOption).options).toBeUndefined();
});

it("shows an error only if there are no earlier results", () => {
  const error = new Error("Not now");
  expect(foundOptions({ data: undefined, error, isPlaceholderData: false }, "", toOption)).toEqual({
    options: undefined,
    failure: "Not now",
  });
  expect(foundOptions({ ...answer(["a"]), error }, "", toOption).failure).toBeUndefined();
});

it("trims the search to what the server accepts", () => {
  expect(searchOf(` ${"x".repeat(300)}`)["filter.search"]).toBe("x".repeat(100));
  expect(searchOf(undefined)["filter.search"]).toBe("");
});
