import type { AccessDiffSummary } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { formatCount, formatNumber } from "../lib/format.ts";
import { accessDiffQuery } from "./audit.queries.ts";
import styles from "./audit.module.css";

// Few entries have a list of connections.
const ChangeList = lazy(async () => ({
  default: (await import("../preview/changes-preview.tsx")).ChangeList,
}));

/** What a change opened and closed: the numbers of the entry, and then the connections. */
export function AccessDiff({ summary }: { summary: AccessDiffSummary }) {
  const { data, isError } = useQuery(accessDiffQuery(summary.id));
  return (
    <section aria-label="Access" className={styles.access}>
      <p>
        <b>Access:</b> {describe(summary)}
      </p>
      {isError && <p className={styles.muted}>The connections couldn’t be loaded.</p>}
      {data && (
        <Suspense>
          <ChangeList opened={data.opened} closed={data.closed} />
        </Suspense>
      )}
    </section>
  );
}

function describe({ openedPairCount, closedPairCount, affectedHostCount, entryCount }: AccessDiffSummary) {
  const numbers = `${formatNumber(openedPairCount)} opened, ${formatNumber(closedPairCount)} closed, ${formatCount(affectedHostCount, "host")} affected.`;
  return entryCount > 1
    ? `${numbers} Counted for ${formatNumber(entryCount)} changes made together.`
    : numbers;
}
