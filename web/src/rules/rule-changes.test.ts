import { describe, expect, it } from "vitest";
import { describeChanges, findPosition, listEntries, type SavedRule } from "./rule-changes.ts";
import { newRule, type RuleValues } from "./rule-values.ts";

const saved: SavedRule[] = ["22", "80", "443", "5432"].map((ports, savedIndex) => ({
  ...newRule,
  ports,
  savedIndex,
}));
const added: RuleValues = { ...newRule, ports: "53" };
const keep = (...indexes: number[]) => indexes.map((index) => saved[index]!);

/** Indexes of the form, and the ports of removed rules. */
const entriesOf = (rules: RuleValues[]) =>
  listEntries(saved, rules).map((entry) => ("removed" in entry ? entry.removed.ports : entry.index));

describe("the entries of a form", () => {
  it("keep removed rules in place", () => {
    expect(entriesOf(saved)).toEqual([0, 1, 2, 3]);
    expect(entriesOf(keep(0, 2, 3))).toEqual([0, "80", 1, 2]);
    expect(entriesOf(keep(2))).toEqual(["22", "80", 0, "5432"]);
    expect(entriesOf([])).toEqual(["22", "80", "443", "5432"]);
  });

  it("have removed rules before the rules that were added", () => {
    expect(entriesOf([...keep(0, 1, 2), added])).toEqual([0, 1, 2, "5432", 3]);
    expect(entriesOf([added])).toEqual(["22", "80", "443", "5432", 0]);
  });

  it("don't need saved rules", () => {
    expect(listEntries([], [added, added])).toEqual([{ index: 0 }, { index: 1 }]);
  });
});

it("a removed rule returns to its place", () => {
  expect(findPosition(keep(0, 2, 3), 1)).toBe(1);
  expect(findPosition(keep(2), 0)).toBe(0);
  expect(findPosition([...keep(0), added], 3)).toBe(1);
  expect(findPosition([], 2)).toBe(0);
});

it("changes are counted", () => {
  const changed = { ...saved[1]!, ports: "8080" };
  expect(describeChanges(saved, saved)).toBe("");
  expect(describeChanges(saved, [...keep(0, 1, 2), added])).toBe("1 rule added, 1 removed");
  expect(describeChanges(saved, [saved[0]!, changed])).toBe("1 rule changed, 2 removed");
  expect(describeChanges(saved, [...saved, added, added])).toBe("2 rules added");
});
