import { useWatch } from "react-hook-form";
import { formatCount } from "../lib/format.ts";
import { isIncomplete, type WithRules } from "./rule-values.ts";

/** Below the preview: what the rules apply to, and which rules the preview leaves out. */
export function RulesNotePreview({ scope }: { scope: string }) {
  const rules = useWatch<WithRules, "firewallRules">({ name: "firewallRules" });
  const incompleteCount = rules.filter(isIncomplete).length;
  return (
    <>
      {incompleteCount > 0 &&
        `${formatCount(incompleteCount, "rule is incomplete and isn’t", "rules are incomplete and aren’t")} included. `}
      {scope}
    </>
  );
}
