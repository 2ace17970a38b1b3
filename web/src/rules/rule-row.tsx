import { lazy, memo, Suspense } from "react";
import { useWatch } from "react-hook-form";
import { classNames } from "../ui/base/class-names.ts";
import { IconButton } from "../ui/controls/icon-button.tsx";
import { CloseIcon } from "../ui/base/icons.tsx";
import { RuleSentence, ruleTraffic } from "./rule-sentence.tsx";
import type { WithRules } from "./rule-values.ts";
import styles from "./rules.module.css";
import type { RuleAct } from "./use-rules.ts";

const loadOpenRule = () => import("./open-rule.tsx");
const OpenRule = lazy(loadOpenRule);

/** The fields load when somebody comes near the rules. */
export const preloadOpenRule = (): void => void loadOpenRule().catch(() => undefined);

export interface RuleRowProps {
  index: number;
  isOpen: boolean;
  /** Where the focus goes when its fields appear: the first, or the first that is wrong. */
  focus: "first" | "wrong" | undefined;
  networks: readonly string[] | undefined;
  onAct: (act: RuleAct, index: number) => void;
}

/** A sentence that opens into its fields, and stays above them to say what they amount to. */
export const RuleRow = memo(function RuleRow(props: RuleRowProps) {
  const { index, isOpen, networks, onAct } = props;
  const rule = useWatch<WithRules, `firewallRules.${number}`>({ name: `firewallRules.${index}` });
  return (
    <div className={classNames(styles.rule, isOpen && styles.open)}>
      <div className={styles.words}>
        <button
          type="button"
          data-rule={index}
          aria-expanded={isOpen}
          className={styles.toggle}
          onClick={() => onAct(isOpen ? "close" : "open", index)}
        >
          <RuleSentence rule={rule} isRoute={networks !== undefined} />
        </button>
        {rule.description && !isOpen && (
          <p className={styles.description} dir="auto">
            {rule.description}
          </p>
        )}
      </div>
      <IconButton
        label={`Remove rule ${ruleTraffic(rule)}`}
        icon={<CloseIcon />}
        tooltip={false}
        size="small"
        onClick={() => onAct("remove", index)}
      />
      {isOpen && (
        <Suspense>
          <OpenRule {...props} rule={rule} />
        </Suspense>
      )}
    </div>
  );
});
