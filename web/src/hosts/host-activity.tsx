import { getHostV2, listAuditLogs, type AuditLog, type HostV2 } from "@lightkeeper/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useOutletContext } from "react-router";
import { api } from "../lib/api.ts";
import { failureOf } from "../lib/list-page.ts";
import { keyOf } from "../lib/query.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { ErrorState } from "../ui/error-state.tsx";
import { SkeletonRows } from "../ui/skeleton.tsx";
import { Time } from "../ui/time.tsx";
import { actorWords, changedProperties, eventWords } from "./activity-words.ts";
import { useHostNames, type HostNames } from "./host-names.ts";
import styles from "./host-activity.module.css";

const PAGE_SIZE = 50;

function useActivity(hostID: string) {
  const query = { "filter.targetID": hostID, "filter.targetType": "host" as const, pageSize: PAGE_SIZE };
  return useInfiniteQuery({
    // The log itself is not news to the console; what happens to hosts is.
    queryKey: keyOf({ ...listAuditLogs, noun: getHostV2.noun }, { query, older: true }),
    queryFn: ({ pageParam: cursor, signal }) => api(listAuditLogs, { query: { ...query, cursor }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ metadata }) => (metadata.hasNextPage ? metadata.nextCursor : undefined),
  });
}

/** The audit log, of this host. */
export function Component() {
  const host = useOutletContext<HostV2>();
  const names = useHostNames();
  const { data, error, isFetching, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useActivity(
    host.id,
  );
  const entries = data?.pages.flatMap((page) => page.data);
  return (
    <Card title="Activity" padded={false}>
      {entries ? (
        <Entries entries={entries} names={names} />
      ) : error ? (
        <ErrorState {...failureOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
      ) : (
        <SkeletonRows />
      )}
      {hasNextPage && (
        <div className={styles.older}>
          <Button onClick={() => void fetchNextPage()} pending={isFetchingNextPage}>
            Show older
          </Button>
        </div>
      )}
    </Card>
  );
}

function Entries({ entries, names }: { entries: readonly AuditLog[]; names: HostNames }) {
  if (entries.length === 0)
    return (
      <EmptyState title="Nothing has happened yet">Every change of this host is listed here.</EmptyState>
    );
  return (
    <ol className={styles.entries}>
      {entries.map((entry) => (
        <Entry key={entry.id} entry={entry} names={names} />
      ))}
    </ol>
  );
}

function Entry({ entry, names }: { entry: AuditLog; names: HostNames }) {
  const changes = changedProperties(entry, (id) => names.roleName(id) ?? names.networkName(id));
  return (
    <li className={styles.entry}>
      <p className={styles.what}>
        <span>
          <strong>
            <bdi>{actorWords(entry.actor)}</bdi>
          </strong>{" "}
          {eventWords(entry.event.type)}
        </span>
        <span className={styles.when}>
          <Time at={entry.timestamp} />
        </span>
      </p>
      {changes.length > 0 && (
        <ul className={styles.changes}>
          {changes.map(({ name, before, after }) => (
            <li key={name}>
              {name}: <bdi className={styles.before}>{before}</bdi> → <bdi>{after}</bdi>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
