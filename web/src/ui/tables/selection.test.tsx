import { act, renderHook } from "@testing-library/react";
import { expect, it } from "vitest";
import { useSelection } from "./selection.ts";

const page = ["a", "b", "c", "d"];

function select(scope = "all") {
  const { result, rerender } = renderHook(({ scope }) => useSelection(scope), { initialProps: { scope } });
  return { now: () => result.current, rerender };
}

it("selects single rows, and ranges in either direction", () => {
  const { now } = select();
  act(() => now().toggle("c", page));
  act(() => now().toggle("a", page, { range: true }));
  expect([...now().keys].sort()).toEqual(["a", "b", "c"]);
  act(() => now().toggle("b", page));
  act(() => now().toggle("c", page, { range: true }));
  expect([...now().keys]).toEqual(["a"]);
});

it("treats a range that starts on another page as a single row", () => {
  const { now } = select();
  act(() => now().toggle("z", ["z"]));
  act(() => now().toggle("c", page, { range: true }));
  expect([...now().keys]).toEqual(["z", "c"]);
});

it("selects and clears a page without affecting other pages", () => {
  const { now } = select();
  act(() => now().toggle("z", ["z"]));
  act(() => now().togglePage(page));
  expect(now().keys.size).toBe(5);
  act(() => now().togglePage(page));
  expect([...now().keys]).toEqual(["z"]);
});

it("selects everything that matches; clearing one row keeps the rest of the page", () => {
  const { now } = select();
  act(() => now().selectEverything());
  expect(now().has("unseen")).toBe(true);
  act(() => now().toggle("b", page));
  expect(now().isEverything).toBe(false);
  expect([...now().keys]).toEqual(["a", "c", "d"]);
  act(() => now().clear());
  expect(now().isEmpty).toBe(true);
});

it("has no selection for another list", () => {
  const { now, rerender } = select();
  act(() => now().selectEverything());
  rerender({ scope: "offline only" });
  expect(now().isEmpty).toBe(true);
});
