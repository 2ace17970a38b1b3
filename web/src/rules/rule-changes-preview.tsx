import { useWatch } from "react-hook-form";
import { describeChanges, useSavedRules } from "./rule-changes.ts";
import type { WithRules } from "./rule-values.ts";

/** "1 rule added, 1 removed", beside the title of the preview. */
export function RuleChangesPreview() {
  const saved = useSavedRules();
  const rules = useWatch<WithRules, "firewallRules">({ name: "firewallRules" });
  return describeChanges(saved, rules);
}
