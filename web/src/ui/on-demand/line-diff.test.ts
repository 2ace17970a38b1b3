import fc from "fast-check";
import { expect, it } from "vitest";
import { diffLines, withContext } from "./line-diff.ts";

const marks = { same: " ", added: "+", removed: "-" };
const shown = (before: string, after: string) =>
  diffLines(before, after).map(({ kind, text }) => marks[kind] + text);

it("marks removed and added lines in their places", () => {
  expect(shown("a\nb\nc\n", "a\nx\nc\n")).toEqual([" a", "-b", "+x", " c"]);
  expect(shown("a\nb", "b\nc")).toEqual(["-a", " b", "+c"]);
  expect(shown("same\n", "same\n")).toEqual([" same"]);
});

it("turns one text into the other, for any texts", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", ""), { minLength: 1, maxLength: 30 })
    .map((lines) => `${lines.join("\n")}\n`);
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffLines(before, after);
      const without = (kind: string) =>
        lines
          .filter((line) => line.kind !== kind)
          .map((line) => `${line.text}\n`)
          .join("");
      expect(without("added")).toBe(before);
      expect(without("removed")).toBe(after);
    }),
  );
});

it("shows texts too long to compare as replaced", () => {
  const many = (letter: string) => Array.from({ length: 2100 }, (_, line) => `${letter}${line}`).join("\n");
  const lines = diffLines(`start\n${many("a")}`, `start\n${many("b")}`);
  expect(lines[0]).toEqual({ kind: "same", text: "start" });
  expect(lines.filter(({ kind }) => kind === "removed")).toHaveLength(2100);
  expect(lines.filter(({ kind }) => kind === "added")).toHaveLength(2100);
});

it("omits lines far from any change", () => {
  const before = Array.from({ length: 9 }, (_, line) => `line ${line}`).join("\n");
  const lines = withContext(diffLines(before, before.replace("line 4", "other")), 1);
  expect(lines.map(({ line }) => line?.text)).toEqual([
    undefined,
    "line 3",
    "line 4",
    "other",
    "line 5",
    undefined,
  ]);
});
