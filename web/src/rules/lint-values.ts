import type { RuleLint } from "@lightkeeper/contract";

/** Of the lints of one rule: a covered rule can be removed, so nothing else about it matters. */
export function selectRelevant<Lint extends Pick<RuleLint, "kind">>(lints: readonly Lint[]): readonly Lint[] {
  const covered = lints.filter(({ kind }) => kind === "covered");
  return covered.length > 0 ? covered : lints;
}
