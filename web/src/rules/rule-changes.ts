/** What a form changes about the saved rules. The rules keep their order, so a removed rule still has its place. */
import { useFormState } from "react-hook-form";
import { formatCount, formatNumber } from "../lib/format.ts";
import { isSameRule, type RuleValues, type WithRules } from "./rule-values.ts";

export type SavedRule = RuleValues & { savedIndex: number };

const isSaved = (rule: RuleValues): rule is SavedRule => rule.savedIndex !== undefined;

/** The rules as they were loaded; none if the object is new. */
export function useSavedRules(): SavedRule[] {
  const { defaultValues } = useFormState<WithRules>();
  // The form has all of its values from the start.
  const { firewallRules } = defaultValues as WithRules;
  return firewallRules.filter(isSaved);
}

/** A rule of the form by its index, or a saved rule that the form no longer contains. */
export type RuleEntry = { index: number } | { removed: SavedRule };

type Marked = Pick<RuleValues, "savedIndex">;

/** The rules of the form, each followed by the removed rules that came after it. */
export function listEntries(saved: readonly SavedRule[], rules: readonly Marked[]): RuleEntry[] {
  const present = new Set(rules.map(({ savedIndex }) => savedIndex));
  const removedFrom = (start: number) => {
    const following = saved.slice(start);
    const end = following.findIndex(({ savedIndex }) => present.has(savedIndex));
    return following.slice(0, end < 0 ? undefined : end).map((removed) => ({ removed }));
  };
  return [
    ...removedFrom(0),
    ...rules.flatMap(({ savedIndex }, index) => [
      { index },
      ...(savedIndex === undefined ? [] : removedFrom(savedIndex + 1)),
    ]),
  ];
}

/** Where a removed rule belongs among the rules of the form. */
export const findPosition = (rules: readonly Marked[], savedIndex: number): number =>
  rules.findLastIndex((rule) => rule.savedIndex !== undefined && rule.savedIndex < savedIndex) + 1;

/** "1 rule added, 2 removed", or an empty text. */
export function describeChanges(saved: readonly SavedRule[], rules: readonly RuleValues[]): string {
  const kept = rules.filter(isSaved);
  const counts = [
    { count: rules.length - kept.length, what: "added" },
    { count: kept.filter((rule) => isChanged(saved, rule)).length, what: "changed" },
    { count: saved.length - kept.length, what: "removed" },
  ].filter(({ count }) => count > 0);
  return counts
    .map(
      ({ count, what }, index) => `${index === 0 ? formatCount(count, "rule") : formatNumber(count)} ${what}`,
    )
    .join(", ");
}

function isChanged(saved: readonly SavedRule[], rule: SavedRule): boolean {
  const before = saved.find(({ savedIndex }) => savedIndex === rule.savedIndex);
  return before !== undefined && !isSameRule(before, rule);
}
