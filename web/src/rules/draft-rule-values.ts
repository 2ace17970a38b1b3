/** A rule that another page proposes: the form adds it as an unsaved change. */
import type { AccessRule } from "@lightkeeper/contract";
import { toPartialRuleValues, type RuleValues } from "./rule-values.ts";

interface DraftRuleState {
  draftRule: RuleValues;
}

/** The navigation state that opens a form with the rule. Unlike a URL, a link from elsewhere can’t contain it. */
export const draftRuleState = (rule: AccessRule["rule"]): DraftRuleState => ({
  draftRule: toPartialRuleValues(rule),
});

/** The rule in the navigation state, if there is one. */
export const readDraftRule = (state: unknown): RuleValues | undefined =>
  typeof state === "object" && state !== null && "draftRule" in state
    ? (state as DraftRuleState).draftRule
    : undefined;
