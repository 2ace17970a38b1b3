import type { LintFix } from "@lightkeeper/contract";
import { useFormContext } from "react-hook-form";
import { InfoIcon } from "../ui/base/icons.tsx";
import { useReadOnly } from "../ui/base/read-only.ts";
import { Button } from "../ui/controls/button.tsx";
import type { DraftLint } from "./fetch-lints.ts";
import { LintSentence } from "./lint-sentence.tsx";
import { hintID } from "./lint-values.ts";
import { formatPorts } from "./port-values.ts";
import { toPartialRuleValues, type RuleValues, type WithRules } from "./rule-values.ts";
import styles from "./rules.module.css";
import type { RuleAction } from "./use-rules.ts";

interface RuleHintsProps {
  /** The first part of the hints' IDs. */
  id: string;
  index: number;
  rule: RuleValues;
  lints: readonly DraftLint[];
  onAction: (action: RuleAction, index: number) => void;
}

/** What is probably wrong with a rule, and a button that corrects the draft. The default export is for `lazy()`. */
export default function RuleHints({ id, index, rule, lints, onAction }: RuleHintsProps) {
  const form = useFormContext<WithRules>();
  function apply(fix: LintFix) {
    if (fix.type === "remove") return onAction("remove", index);
    const replacement = { ...toPartialRuleValues(fix.rule), savedIndex: rule.savedIndex };
    form.setValue(`firewallRules.${index}`, replacement, { shouldDirty: true });
    onAction("close", index);
  }
  return (
    <ul className={styles.hints}>
      {lints.map((lint) => (
        <li key={lint.kind}>
          <InfoIcon />
          <div className={styles.hint}>
            <span id={hintID(id, lint)}>
              <LintSentence lint={lint} rule={rule} coverTraffic={lint.coverTraffic} />
            </span>
            <FixButton fix={lint.fix} rule={rule} describedBy={hintID(id, lint)} onApply={apply} />
          </div>
        </li>
      ))}
    </ul>
  );
}

interface FixButtonProps {
  fix: LintFix | null;
  rule: RuleValues;
  describedBy: string;
  onApply: (fix: LintFix) => void;
}

function FixButton({ fix, rule, describedBy, onApply }: FixButtonProps) {
  if (useReadOnly() || fix === null) return null;
  return (
    <Button size="small" aria-describedby={describedBy} onClick={() => onApply(fix)}>
      {fix.type === "remove" ? "Remove rule" : `Limit to ${limitLabel(fix.rule, rule)}`}
    </Button>
  );
}

/** "port 22"; with another protocol "TCP 22". */
function limitLabel(
  { protocol, portRange }: Extract<LintFix, { type: "replace" }>["rule"],
  rule: RuleValues,
): string {
  if (!portRange) return protocol ?? rule.protocol;
  const what = portRange.from === portRange.to ? "port" : "ports";
  const isSameProtocol = protocol === rule.protocol || protocol === "ANY";
  return `${isSameProtocol ? what : protocol} ${formatPorts(portRange)}`;
}
