import type { RuleLint, SavedRuleLint } from "@lightkeeper/contract";
import { selectRelevant } from "../rules/lint-values.ts";

interface LintedRule {
  index: number;
  rule: SavedRuleLint["rule"];
  lints: readonly RuleLint[];
}

export interface LintedOwner {
  owner: SavedRuleLint["owner"];
  rules: LintedRule[];
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups.values()];
}

/** The lints by role, tag or route, and by rule, in the order of the server. */
export const groupLints = (lints: readonly SavedRuleLint[]): LintedOwner[] =>
  groupBy(lints, ({ owner: { type, id } }) => `${type} ${id}`).map((ofOwner) => ({
    owner: ofOwner[0]!.owner,
    rules: groupBy(ofOwner, ({ lint }) => String(lint.index)).map((ofRule) => ({
      index: ofRule[0]!.lint.index,
      rule: ofRule[0]!.rule,
      lints: selectRelevant(ofRule.map(({ lint }) => lint)),
    })),
  }));
