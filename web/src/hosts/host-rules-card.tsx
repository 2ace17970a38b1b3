import type { AccessRule, HostAccess, HostState, HostV2 } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { hostAccessQuery } from "../access/access.queries.ts";
import { formatCount, formatNumber } from "../lib/format.ts";
import { hostPath } from "../references/host-link.tsx";
import { RuleLink } from "../rules/rule-link.tsx";
import { Card } from "../ui/pages/card.tsx";
import styles from "./host-page.module.css";

const RULES_SHOWN = 20;

const keyOf = ({ source, index }: AccessRule) => `${source.type} ${source.id} ${index}`;

/** How many hosts each rule lets in. A rule that is missing lets in none. */
function countHosts({ inbound }: HostAccess): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { group, rules } of inbound)
    for (const rule of rules) counts.set(keyOf(rule), (counts.get(keyOf(rule)) ?? 0) + group.hostCount);
  return counts;
}

/** Undefined until the counts are known, and for rules about subnets behind the host. */
function useHostCounts(host: HostV2): (rule: AccessRule) => string | undefined {
  const { data: access } = useQuery(hostAccessQuery(host.id, ""));
  if (!access || access.failedCheck) return () => undefined;
  const counts = countHosts(access);
  const isComplete = access.inbound.length === access.inboundGroupCount;
  return (rule) => {
    const count = counts.get(keyOf(rule)) ?? 0;
    if (rule.source.type === "route" && count === 0) return undefined;
    return isComplete ? formatCount(count, "host") : `${formatNumber(count)} or more hosts`;
  };
}

/** The inbound rules in words, and where they come from. */
export function RulesCard({ host, state: { rules } }: { host: HostV2; state: HostState }) {
  const countOf = useHostCounts(host);
  const accessPath = `${hostPath(host)}/access`;
  return (
    <Card
      title="Who can reach this host"
      padded={false}
      actions={
        <Link to={accessPath} className={styles.more}>
          View access
        </Link>
      }
    >
      {rules.length === 0 ? (
        <p className={styles.empty}>No rule allows inbound traffic to this host.</p>
      ) : (
        <ul aria-label="Inbound rules" className={styles.rows}>
          {rules.slice(0, RULES_SHOWN).map((rule) => (
            <li key={keyOf(rule)} className={styles.row}>
              <RuleLink rule={rule} details={countOf(rule)} />
            </li>
          ))}
        </ul>
      )}
      {rules.length > RULES_SHOWN && (
        <p className={styles.rest}>
          and {formatCount(rules.length - RULES_SHOWN, "more rule")}. <Link to={accessPath}>View access</Link>
        </p>
      )}
    </Card>
  );
}
