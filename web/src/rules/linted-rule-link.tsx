import type { AccessRule, RuleLint } from "@lightkeeper/contract";
import { Link } from "react-router";
import { InfoIcon } from "../ui/base/icons.tsx";
import { LintSentence } from "./lint-sentence.tsx";
import styles from "./linted-rule-link.module.css";
import { ruleHash } from "./rule-hash.ts";
import { RuleSentence } from "./rule-sentence.tsx";
import { toPartialRuleValues } from "./rule-values.ts";

interface LintedRuleLinkProps {
  index: number;
  rule: AccessRule["rule"];
  lints: readonly RuleLint[];
  isRoute: boolean;
  /** The form of the role, tag or route. */
  formPath: string;
}

/** A rule that is probably not what its author intended, with a link to its place in the form. */
export function LintedRuleLink({ index, rule, lints, isRoute, formPath }: LintedRuleLinkProps) {
  const values = toPartialRuleValues(rule);
  return (
    <div className={styles.rule}>
      <Link to={`${formPath}${ruleHash(index)}`} className={styles.link}>
        <span className={styles.number}>Rule {index + 1}</span>{" "}
        <RuleSentence rule={values} isRoute={isRoute} />
      </Link>
      {values.description && (
        <p className={styles.description} dir="auto">
          {values.description}
        </p>
      )}
      {lints.map((lint) => (
        <p key={lint.kind} className={styles.hint}>
          <InfoIcon />
          <span>
            <LintSentence lint={lint} rule={values} />
          </span>
        </p>
      ))}
    </div>
  );
}
