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

it("never shows what does not match while the answer is on its way", () => {
  const { options } = foundOptions(answer(["Prod", "Staging"], true), " PRO", toOption);
  expect(options).toEqual([toOption("Prod")]);
  expect(foundOptions(answer(["Staging"], true), "pro", toOption).options).toBeUndefined();
});

it("says why nothing was found only while there is nothing older to show", () => {
  const error = new Error("Not now");
  expect(foundOptions({ data: undefined, error, isPlaceholderData: false }, "", toOption)).toEqual({
    options: undefined,
    failure: "Not now",
  });
  expect(foundOptions({ ...answer(["a"]), error }, "", toOption).failure).toBeUndefined();
});

it("asks for no more than the server takes", () => {
  expect(searchOf(` ${"x".repeat(300)}`)["filter.search"]).toBe("x".repeat(100));
  expect(searchOf(undefined)["filter.search"]).toBe("");
});
