import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { formatCount, formatNumber } from "../lib/format.ts";
import { failureOf } from "../lib/list-page.ts";
import { usePageTitle } from "../lib/title.ts";
import { AccessTabs } from "../on-demand/access-tabs.tsx";
import { EmptyState } from "../ui/feedback/empty-state.tsx";
import { ErrorState } from "../ui/feedback/error-state.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { SkeletonRows } from "../ui/feedback/skeleton.tsx";
import { Card } from "../ui/pages/card.tsx";
import { PageContent } from "../ui/pages/page-content.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { ruleLintsQuery, type RuleLints } from "./lint.queries.ts";
import { groupLints, type LintedOwner } from "./linted-owners.ts";
import { OwnerCard } from "./owner-card.tsx";
import styles from "./rules-to-review-page.module.css";

const LEAD =
  "Rules that never match, that other rules make redundant, or that allow more than they seem to. Nothing changes until you edit them.";

export function RulesToReviewPage() {
  usePageTitle("Rules to review");
  const query = useQuery(ruleLintsQuery);
  const { data } = query;
  const owners = useMemo(() => data && groupLints(data.lints), [data]);
  return (
    <PageContent kind="list">
      <AccessTabs />
      <PageHeader title="Rules to review" count={data && owners && countRules(data, owners)} lead={LEAD} />
      {query.error && !data ? (
        <Card>
          <ErrorState
            {...failureOf(query.error)}
            onRetry={() => void query.refetch()}
            retrying={query.isFetching}
          />
        </Card>
      ) : data && owners ? (
        <Owners data={data} owners={owners} />
      ) : (
        <Card padded={false}>
          <SkeletonRows rows={8} />
        </Card>
      )}
    </PageContent>
  );
}

/** Exact unless the server has left some out. */
function countRules({ lints, lintCount }: RuleLints, owners: readonly LintedOwner[]): number | string {
  const count = owners.reduce((sum, { rules }) => sum + rules.length, 0);
  return lints.length === lintCount ? count : `${formatNumber(count)}+`;
}

function Owners({ data, owners }: { data: RuleLints; owners: readonly LintedOwner[] }) {
  const { lints, lintCount, ruleCount } = data;
  if (owners.length === 0)
    return (
      <Card>
        <EmptyState title="No rule needs review">
          {ruleCount === 0
            ? "Your roles, tags and routes have no rules yet."
            : `${formatCount(ruleCount, "rule")} of your roles, tags and routes checked.`}
        </EmptyState>
      </Card>
    );
  return (
    <div className={styles.owners}>
      {lintCount > lints.length && (
        <Notice tone="info">
          Shows the first {formatNumber(lints.length)} of {formatNumber(lintCount)} hints. Edit these rules to
          see the others.
        </Notice>
      )}
      {owners.map((each) => (
        <OwnerCard key={`${each.owner.type} ${each.owner.id}`} {...each} />
      ))}
    </div>
  );
}
