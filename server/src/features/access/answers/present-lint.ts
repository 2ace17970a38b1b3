/** Lints of the access engine in the form of the API. */
import type { LintFix, RuleLint, SavedRuleLint } from "@lightkeeper/contract";
import type { Lint, LintedRule } from "@lightkeeper/nebula/access";
import { presentRuleContent } from "./present.ts";

export type RuleOwner = SavedRuleLint["owner"];

function presentFix(fix: Lint["fix"]): LintFix | null {
  if (!fix) return null;
  return "remove" in fix ? { type: "remove" } : { type: "replace", rule: presentRuleContent(fix.replace) };
}

export function presentLint(lint: Lint): RuleLint {
  const common = { index: lint.index, fix: presentFix(lint.fix) };
  switch (lint.kind) {
    case "neverMatches":
      return { ...common, kind: lint.kind, reason: lint.reason };
    case "covered":
      return { ...common, kind: lint.kind, by: [...lint.by] };
    case "broaderThanDescription":
      return { ...common, kind: lint.kind, named: lint.named.map((traffic) => ({ ...traffic })) };
    case "anyWithTags":
      return { ...common, kind: lint.kind, tags: [...lint.tags] };
    case "manyPorts":
      return { ...common, kind: lint.kind, portCount: lint.ports };
  }
}

export const presentSavedLint = (
  owner: RuleOwner,
  rules: readonly LintedRule[],
  lint: Lint,
): SavedRuleLint => ({ owner, rule: presentRuleContent(rules[lint.index]!), lint: presentLint(lint) });
