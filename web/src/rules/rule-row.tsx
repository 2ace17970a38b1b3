import { lazy, memo, Suspense, useId } from "react";
import { useWatch } from "react-hook-form";
import { classNames } from "../ui/base/class-names.ts";
import { IconButton } from "../ui/controls/icon-button.tsx";
import { CloseIcon } from "../ui/base/icons.tsx";
import type { DraftLint } from "./fetch-lints.ts";
import { hintID } from "./lint-values.ts";
import type { OpenRuleProps } from "./open-rule.tsx";
import { RuleSentence, ruleTraffic } from "./rule-sentence.tsx";
import type { WithRules } from "./rule-values.ts";
import styles from "./rules.module.css";

const loadOpenRule = () => import("./open-rule.tsx");
const OpenRule = lazy(loadOpenRule);

const RuleHints = lazy(() => import("./rule-hints.tsx"));

/** Loads the fields when the pointer or focus reaches the rules. */
export const preloadOpenRule = (): void => void loadOpenRule().catch(() => undefined);

interface RuleRowProps extends Omit<OpenRuleProps, "rule"> {
  isOpen: boolean;
  /** Marks a rule that isn't saved yet. */
  marksAdded: boolean;
  lints: readonly DraftLint[] | undefined;
}

/** A rule as a sentence that expands into its fields and stays above them. */
export const RuleRow = memo(function RuleRow(props: RuleRowProps) {
  const { index, isOpen, marksAdded, lints, subnets, onAction } = props;
  const id = useId();
  const rule = useWatch<WithRules, `firewallRules.${number}`>({ name: `firewallRules.${index}` });
  const isAdded = marksAdded && rule.savedIndex === undefined;
  return (
    <div className={classNames(styles.rule, isOpen && styles.open, isAdded && styles.added)}>
      <div className={styles.text}>
        <button
          type="button"
          data-rule={index}
          aria-expanded={isOpen}
          aria-describedby={lints?.map((lint) => hintID(id, lint)).join(" ")}
          className={styles.toggle}
          onClick={() => onAction(isOpen ? "close" : "open", index)}
        >
          <RuleSentence rule={rule} isRoute={subnets !== undefined} />
        </button>
        {rule.description && !isOpen && (
          <p className={styles.description} dir="auto">
            {rule.description}
          </p>
        )}
      </div>
      {isAdded && <span className={styles.mark}>Added</span>}
      <IconButton
        label={`Remove rule ${ruleTraffic(rule)}`}
        icon={<CloseIcon />}
        tooltip={false}
        size="small"
        onClick={() => onAction("remove", index)}
      />
      {lints && (
        <Suspense>
          <RuleHints id={id} index={index} rule={rule} lints={lints} onAction={onAction} />
        </Suspense>
      )}
      {isOpen && (
        <Suspense>
          <OpenRule {...props} rule={rule} />
        </Suspense>
      )}
    </div>
  );
});
