import type { RuleLint } from "@lightkeeper/contract";

/** Of the lints of one rule: a covered rule can be removed, so nothing else about it matters. */
export function selectRelevant<Lint extends Pick<RuleLint, "kind">>(lints: readonly Lint[]): readonly Lint[] {
  const covered = lints.filter(({ kind }) => kind === "covered");
  return covered.length > 0 ? covered : lints;
}

/** The ID of a hint in a form, which describes its rule. */
export const hintID = (id: string, { kind }: Pick<RuleLint, "kind">): string => `${id}-${kind}`;
