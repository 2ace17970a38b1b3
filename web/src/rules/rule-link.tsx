import type { AccessRule } from "@lightkeeper/contract";
import { DependentLink } from "../on-demand/dependents.tsx";
import styles from "./rule-link.module.css";
import { RuleSentence } from "./rule-sentence.tsx";
import { toPartialRuleValues } from "./rule-values.ts";

interface RuleLinkProps {
  rule: AccessRule;
  /** "4 hosts" */
  details?: string | undefined;
}

/** A rule in words, and a link to the role, tag or route that contains it. */
export function RuleLink({ rule: { source, index, rule }, details }: RuleLinkProps) {
  return (
    <div className={styles.rule}>
      <RuleSentence rule={toPartialRuleValues(rule)} isRoute={source.type === "route"} />
      <p className={styles.origin}>
        {details !== undefined && `${details} · `}Rule {index + 1} of {source.type}{" "}
        <DependentLink dependent={source} />
        {rule.description && (
          <>
            {" · "}
            <bdi>{rule.description}</bdi>
          </>
        )}
      </p>
    </div>
  );
}

/** A rule that doesn't exist yet, in words. */
export function ProposedRule({
  rule,
  type,
}: {
  rule: AccessRule["rule"];
  type: AccessRule["source"]["type"];
}) {
  return <RuleSentence rule={toPartialRuleValues(rule)} isRoute={type === "route"} />;
}
