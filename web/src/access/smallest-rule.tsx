import type { AccessExample } from "@lightkeeper/contract";
import { formatCount } from "../lib/format.ts";
import { DependentLink } from "../on-demand/dependents.tsx";
import { rolePath } from "../references/role-link.tsx";
import { routePath } from "../references/route-link.tsx";
import { tagPath } from "../references/tag-link.tsx";
import { draftRuleState } from "../rules/draft-rule-values.ts";
import { ProposedRule } from "../rules/rule-link.tsx";
import { useReadOnly } from "../ui/base/read-only.ts";
import { PlusIcon } from "../ui/base/icons.tsx";
import { LinkButton } from "../ui/controls/button.tsx";
import styles from "./answer-card.module.css";

type SmallestRuleProposal = NonNullable<AccessExample["smallestRule"]>;

const paths = { role: rolePath, tag: tagPath, route: routePath };

/** The rule that is missing, and a link that opens the form with the rule as an unsaved change. */
export function SmallestRule({ proposal }: { proposal: SmallestRuleProposal }) {
  const { target, rule, sourceCount, destinationCount } = proposal;
  const pairs = sourceCount * destinationCount;
  const isReadOnly = useReadOnly();
  return (
    <div className={styles.fix}>
      <h3 className={styles.fixTitle}>Smallest rule that would allow this</h3>
      <ProposedRule rule={rule} type={target.type} />
      <p className={styles.fixText}>
        On {target.type} <DependentLink dependent={target} />. Opens {formatCount(pairs, "pair")} of hosts:{" "}
        {formatCount(sourceCount, "source")}, {formatCount(destinationCount, "destination")}.
      </p>
      {!isReadOnly && (
        <div className={styles.fixActions}>
          <LinkButton
            writes
            size="small"
            icon={<PlusIcon />}
            to={paths[target.type](target.id)}
            state={draftRuleState(rule)}
          >
            Add this rule…
          </LinkButton>
          <span className={styles.fixNote}>Nothing changes until you save the {target.type}.</span>
        </div>
      )}
    </div>
  );
}
