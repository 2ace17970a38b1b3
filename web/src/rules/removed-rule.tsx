import { icon } from "../ui/base/icon.tsx";
import { Button } from "../ui/controls/button.tsx";
import type { SavedRule } from "./rule-changes.ts";
import { RuleSentence, ruleTraffic } from "./rule-sentence.tsx";
import styles from "./rules.module.css";
import type { RuleAction } from "./use-rules.ts";

const UndoIcon = /* @__PURE__ */ icon("M5.5 3L2.5 6l3 3M2.5 6h7a4 4 0 0 1 0 8H7");

interface RemovedRuleProps {
  rule: SavedRule;
  isRoute: boolean;
  onAction: (action: RuleAction, savedIndex: number) => void;
}

/** A rule that saving removes. It stays in place until then. */
export function RemovedRule({ rule, isRoute, onAction }: RemovedRuleProps) {
  return (
    <div className={styles.removed}>
      <del>
        <RuleSentence rule={rule} isRoute={isRoute} />
      </del>
      <span className={styles.mark}>Removed</span>
      <Button
        size="small"
        variant="quiet"
        icon={<UndoIcon />}
        data-undo={rule.savedIndex}
        aria-label={`Undo removing rule ${ruleTraffic(rule)}`}
        onClick={() => onAction("undo", rule.savedIndex)}
      >
        Undo
      </Button>
    </div>
  );
}
